package windrow.spark.standalone

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{AnalysisException, Column, SparkSession}
import windrow.core.aggregate.{Aggregation, OrderedAggregation}
import windrow.spark.functions.{Lag, Lift, ObjectAggregation, ObjectBuffer, OverTimeCheck, RowAggregation}
import windrow.spark.input.{AggregateParts, PlainText}
import windrow.spark.packet.MessageOrder
import windrow.{ContentOrder, SpecProblem, WindowOperatorSpec}

/** SQL aggregates that Spark has resolved against the columns of a stream, in a form that the core can fold. */
sealed abstract class SqlAggregates(val parts: AggregateParts) {
  type Buffer
  def aggregation: Aggregation[Buffer, InternalRow]
  def lift(message: Message): Buffer

  /** The inputs of the functions and of their filters. */
  def read: Seq[Expression] = parts.inputs.map(_.child)

  /** Describes the properties on which the state depends. */
  private[standalone] def stated(input: Input): String =
    s"aggregates ${new PlainText(input.attributes).functions(parts.functions, read)}"
}

object SqlAggregates {

  /** Resolves the aggregates.
    *
    * @param texts
    *   for example `max(price) AS top`
    * @param windows
    *   the windows, or None for windows by policies. Rows without an event time are rejected by windows, so that none
    *   of their values is evaluated.
    */
  def resolve(
      session: SparkSession,
      input: Input,
      texts: Seq[String],
      format: RowFormat,
      windows: Option[WindowOperatorSpec]): Either[Seq[SpecProblem], SqlAggregates] = {
    val relation = SparkInside.frame(session, input.relation)
    val keys     = input.keyColumns.map(relation.col)
    val timed = parts(session, input, keys, texts).flatMap(
      _.timed(Some(input.time).filterNot(_.foldable)).left.map(Seq(_)))
    timed match {
      case Right(taken) =>
        val window = windows.map(_.window)
        val found = names(session, input, taken) ++ Lag.problems(window, taken.functions) ++
          OverTimeCheck.problems(windows, taken.functions)
        val order = window.fold[ContentOrder](ContentOrder.ByArrival)(_.order)
        Either.cond(found.isEmpty, fold(input, taken, format, order, window.isDefined), found)
      case Left(whole) =>
        val each = texts.flatMap(text => parts(session, input, keys, Seq(text)).left.getOrElse(Nil).map(about(_, text)))
        Left(if (each.isEmpty) whole else each)
    }
  }

  private def about(problem: SpecProblem, text: String) = problem.in(s"aggregates='$text'")

  private def parts(
      session: SparkSession,
      input: Input,
      keys: Seq[Column],
      texts: Seq[String]): Either[Seq[SpecProblem], AggregateParts] =
    try {
      val columns        = texts.map(expr)
      val relation       = SparkInside.frame(session, input.relation)
      val described      = relation.groupBy(keys: _*).agg(columns.head, columns.tail: _*)
      val (found, taken) = AggregateParts.of(SparkInside.plan(described))
      val problems       = found ++ taken.toSeq.flatMap(unevaluable)
      Either.cond(problems.isEmpty, taken.get, problems)
    } catch {
      case wrong: ParseException    => Left(Seq(notUnderstood(wrong)))
      case wrong: AnalysisException => Left(Seq(notUnderstood(wrong)))
    }

  private def notUnderstood(wrong: Exception) =
    SpecProblem("AGGREGATE_NOT_UNDERSTOOD", "why" -> wrong.getMessage.linesIterator.next().stripSuffix("."))

  /** Returns a problem for each expression that only a query can evaluate, such as a subquery, or whose value changes
    * with each evaluation, such as the current time.
    */
  private def unevaluable(parts: AggregateParts): Seq[SpecProblem] =
    (parts.inputs.map(_.child) ++ parts.functions.functions ++ parts.results).flatMap(_.collect {
      case subquery: SubqueryExpression                                            => subquery
      case unknown: Unevaluable if !isEvaluated(unknown)                           => unknown
      case moment @ (_: CurrentTimestampLike | _: CurrentDate | _: LocalTimestamp) => moment
      case random: Nondeterministic                                                => random
    }).map(expression =>
      SpecProblem(
        "AGGREGATE_NOT_SUPPORTED.ONLY_IN_QUERIES",
        "expression" -> expression.sql))

  /** Whether an expression that Spark does not evaluate has a value nonetheless: its function reads it. */
  private def isEvaluated(expression: Expression): Boolean = expression match {
    case _: Attribute | _: SortOrder => true
    case _                           => false
  }

  private def names(session: SparkSession, input: Input, parts: AggregateParts): Seq[SpecProblem] = {
    val results  = parts.results.map(_.name)
    val names    = input.key.map(_._1) ++ results
    val resolver = SparkInside.resolver(session)
    val twice    = names.indices.filter(i => names.take(i).exists(resolver(_, names(i)))).map(names).distinct
    results.filter(Set("window", "pane", "message", "messages")).map(name =>
      SpecProblem("NAME_TAKEN.PANE", "name" -> name)) ++
      twice.sorted.map(name =>
        SpecProblem("NAME_TWICE.AGGREGATES", "name" -> name))
  }

  private def fold(
      input: Input,
      parts: AggregateParts,
      format: RowFormat,
      order: ContentOrder,
      needTime: Boolean): SqlAggregates = {
    val isRejected = (message: Message) => needTime && format.time(message).isEmpty
    val position = order match {
      case ContentOrder.ByEventTime =>
        (message: Message, row: UnsafeRow) => MessageOrder(format.time(message), format.origin(message), row)
      case ContentOrder.ByOffset =>
        (message: Message, row: UnsafeRow) => MessageOrder(None, format.origin(message), row)
      case ContentOrder.ByArrival => (_: Message, _: UnsafeRow) => Array.emptyByteArray
    }
    if (parts.functions.fixedWidth)
      over(input, parts, position, isRejected, new RowAggregation(parts.functions))(identity)
    else over(input, parts, position, isRejected, new ObjectAggregation(parts.functions))(new ObjectBuffer(null, _))
  }

  private def over[L](
      input: Input,
      parts: AggregateParts,
      position: (Message, UnsafeRow) => Array[Byte],
      isRejected: Message => Boolean,
      plain: Aggregation[L, InternalRow])(buffer: UnsafeRow => L): SqlAggregates = {
    val lifter                   = Lift(parts.functions, parts.inputs.map(_.child), input.attributes)
    def lifted(message: Message) = (if (isRejected(message)) lifter.nothing else lifter(message.row)).copy()
    if (parts.functions.dependsOnOrder) {
      val ordered = new OrderedAggregation(plain)
      new SqlAggregates(parts) {
        type Buffer = OrderedOf[L]
        val aggregation: Aggregation[Buffer, InternalRow] = ordered
        def lift(message: Message): Buffer = {
          val row = lifted(message)
          ordered.lift(position(message, row), buffer(row))
        }
      }
    } else
      new SqlAggregates(parts) {
        type Buffer = L
        val aggregation: Aggregation[Buffer, InternalRow] = plain
        def lift(message: Message): Buffer                = buffer(lifted(message))
      }
  }

  private type OrderedOf[L] = windrow.core.aggregate.OrderedBuffer[L]
}
