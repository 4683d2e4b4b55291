package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.spark.functions.{Lag, OverTimeCheck}
import windrow.spark.input.{AggregateParts, CoGroupMarks}
import windrow.spark.output.OutputKind
import windrow.spark.panes.IncomingPanes
import windrow.spark.query.LookupStream
import windrow.{SpecError, SpecProblem}

/** Plans a window query from options that may be wrong and a table that may not fit them. */
private[spark] object WindowQuery {

  /** Plans the query.
    *
    * @param subject
    *   the name of the options in error messages
    * @param table
    *   the problems of the table, and its parts
    * @param asking
    *   a lookup stream with questions about stored rows
    * @param stated
    *   options whose columns are checked even if there are other problems
    */
  def plan(
      session: SparkSession,
      subject: => String,
      options: Either[Seq[SpecProblem], (StreamOperator, StreamOptions)],
      table: (Seq[SpecProblem], Option[AggregateParts]),
      asking: Option[LookupStream] = None,
      stated: Option[StreamOptions] = None): LogicalPlan = {
    val timed    = options.toOption.zip(table._2).map { case ((_, read), taken) => timeOf(session, read, taken) }
    val parts    = timed.fold(table._2)(_.toOption.orElse(table._2))
    val ofTable  = table._1 ++ timed.flatMap(_.left.toOption)
    val both     = options.toOption.zip(parts)
    val messages = both.map { case ((operator, read), taken) => Messages.of(session, operator, read, taken) }
    val asked = asking.zip(both).map { case (all, ((operator, read), taken)) =>
      operator.kept.toRight(Seq(unkept)).flatMap(
        all.of(session, _, read.indexed, taken.eventTime(session, read.time), taken))
    }
    val ofColumns =
      if (both.isDefined) Nil
      else stated.zip(parts).toSeq.flatMap { case (read, taken) => Messages.unknown(session, read, taken) }
    val ofStream =
      messages.flatMap(_.left.toOption).getOrElse(Nil) ++ asked.flatMap(_.left.toOption).getOrElse(Nil) ++ ofColumns
    val ofQuery = options.fold(
      identity,
      { case (operator, read) =>
        ofOutput(operator, read, asking) ++ parts.toSeq.flatMap(taken =>
          operator.problems(session, taken) ++ Lag.problems(operator.window, taken.functions) ++
            OverTimeCheck.problems(operator.windows, taken.functions))
      }) ++ ofTable
    (options, parts, messages) match {
      case (Right((operator, read)), Some(taken), Some(Right(found))) if ofQuery.isEmpty && ofStream.isEmpty =>
        val clocked = read.copy(behind = read.behind.orElse(CoGroupMarks.clock(taken.child)))
        WindowPlan(session, operator, clocked, taken, found, asked.flatMap(_.toOption))
      case (Right((_, read)), _, _) if ofQuery.isEmpty => throw SpecError(s"stream '${read.name}'", ofStream)
      case _                                           => throw SpecError(subject, ofQuery ++ ofStream)
    }
  }

  /** Replaces the event time in aggregates over time. */
  private def timeOf(session: SparkSession, read: StreamOptions, parts: AggregateParts) =
    parts.timed(parts.eventTime(session, read.time).orElse(IncomingPanes.lastInstant(session, parts.child)))

  private val unkept = SpecProblem(
    "NO_MESSAGE_STORE.LOOKUPS")

  private def ofOutput(
      operator: StreamOperator,
      options: StreamOptions,
      asking: Option[LookupStream]): Seq[SpecProblem] =
    Option.when(options.output == OutputKind.Answers && asking.isEmpty)(
      SpecProblem("NO_ANSWERS")).toSeq ++
      Option.when(options.output == OutputKind.Events && operator.windows.nonEmpty)(
        SpecProblem("NO_EVENTS"))
}
