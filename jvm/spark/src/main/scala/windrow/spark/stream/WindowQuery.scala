package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.SpecError
import windrow.SpecProblem
import windrow.spark.input.AggregateParts
import windrow.spark.policy.PolicyColumns
import windrow.spark.query.Asking
import windrow.spark.shards.GuardSettings

/** A window query as it is asked for: options that may be wrong, over a table that may not be what they need. */
object WindowQuery {

  /** @param subject
    *   what a message about the options calls them
    * @param table
    *   what is wrong with the table, and its parts
    * @param asking
    *   a lookup stream that asks for what is kept
    */
  def plan(
      session: SparkSession,
      subject: => String,
      options: Either[Seq[SpecProblem], QueryOptions],
      table: (Seq[SpecProblem], Option[AggregateParts]),
      asking: Option[Asking] = None): LogicalPlan = {
    val (ofTable, parts) = table
    val messages         = options.toOption.zip(parts).map { case (read, taken) => Messages.of(session, read, taken) }
    val asked    = for { all <- asking; read <- options.toOption; taken <- parts } yield all.of(session, read, taken)
    val ofStream = messages.flatMap(_.left.toOption).getOrElse(Nil) ++ asked.flatMap(_.left.toOption).getOrElse(Nil)
    val ofQuery = options.fold(
      identity,
      read =>
        ofOutput(read, asking) ++ ofGuards(
          session,
          read) ++ parts.toSeq.flatMap(ofPolicies(session, read, _))) ++ ofTable
    (options, parts, messages) match {
      case (Right(read), Some(taken), Some(Right(found))) if ofQuery.isEmpty && ofStream.isEmpty =>
        WindowPlan(session, read, taken, found, asked.flatMap(_.toOption))
      case (Right(read), _, _) if ofQuery.isEmpty => throw SpecError(s"stream '${read.name}'", ofStream)
      case _                                      => throw SpecError(subject, ofQuery ++ ofStream)
    }
  }

  private def ofOutput(options: QueryOptions, asking: Option[Asking]): Seq[SpecProblem] =
    Option.when(options.output == AnswersOutput && asking.isEmpty)(
      SpecProblem("NO_ANSWERS", "nothing is asked; take panes or rejected, or say getMessages(lookups, ...).")).toSeq ++
      Option.when(options.output == EventsOutput && !options.spec.isInstanceOf[QuerySpec.Policies])(
        SpecProblem("NO_EVENTS", "only windows of policies have events; take panes or rejected.")).toSeq

  private def ofGuards(session: SparkSession, options: QueryOptions): Seq[SpecProblem] = options.spec match {
    case QuerySpec.Aggregates(spec) => GuardSettings(session).problems(spec)
    case _                          => Nil
  }

  private def ofPolicies(session: SparkSession, options: QueryOptions, parts: AggregateParts): Seq[SpecProblem] =
    options.spec match {
      case QuerySpec.Policies(spec) => PolicyColumns.in(session, spec, parts.child).left.getOrElse(Nil)
      case _                        => Nil
    }
}
