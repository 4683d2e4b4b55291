package windrow.spark.input

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.windrow.SparkInside
import scala.util.Try
import windrow.SpecProblem
import windrow.spark.functions.{DistinctCount, FailureCheck, FunctionSet, OverTimeCheck, StreamTime}

/** The parts of the user's aggregation, which itself never runs.
  *
  * @param keys
  *   grouping expressions over the child, with their names in the output. Includes keys that the output does not show.
  * @param shown
  *   the keys that the output shows
  * @param inputs
  *   the inputs of the functions, expressions over the child
  * @param results
  *   the other output columns, over `keys` and `functionResults`
  * @param functionResults
  *   one attribute for the result of each function
  * @param markers
  *   expressions that builders marked, as `first(<expr>) AS __windrow_<name>`; see [[Marks]]
  */
final case class AggregateParts(
    keys: Seq[Alias],
    shown: Seq[Alias],
    inputs: Seq[Alias],
    functions: FunctionSet,
    functionResults: Seq[AttributeReference],
    results: Seq[NamedExpression],
    markers: Map[String, Expression],
    child: LogicalPlan) {

  /** The columns of the input, without those that a co-group marks. */
  def messageColumns: Seq[Attribute] = child.output.filterNot(CoGroupMarks.isMark)

  /** The inputs of each function, as one struct over the child. */
  def read: Seq[Expression] = functions.reads.map(_.map(inputs(_).child)).map(CreateStruct(_))

  /** The inputs of a row, each evaluated exactly when Spark's own aggregation would evaluate it (SEMANTICS R94). An
    * input that may fail is null if the filter of its function does not hold.
    *
    * @param filter
    *   returns the filter at a position among the inputs
    */
  def filtered(filter: Int => Expression = inputs(_).child): Seq[Expression] = inputs.map(_.child).zipWithIndex.map {
    case (input, i) =>
      functions.filterOf(i).filter(_ => FailureCheck.may(input)).fold(input)(at =>
        FailureCheck.where(filter(at), input))
  }

  /** Returns the event time of the rows.
    *
    * @param name
    *   the name of a column, used if the table argument does not mark an expression
    */
  def eventTime(session: SparkSession, name: Option[String]): Option[Expression] =
    markers.get("time").orElse(name.flatMap(SparkInside.column(session, child, _)))

  /** Returns the parts with a time in the aggregates that do not state one, or a problem if there is none or if
    * a value is carried by another time.
    *
    * @param time
    *   the event time of the rows
    */
  def timed(time: => Option[Expression]): Either[SpecProblem, AggregateParts] =
    if (OverTimeCheck.carriesByOtherTime(functions, inputs)) Left(OverTimeCheck.otherTime)
    else if (!inputs.exists(_.exists(_ == StreamTime))) Right(this)
    else time.flatMap(StreamTime.asTimestamp).toRight(StreamTime.missing).map(known =>
      copy(inputs = inputs.map(_.transform { case StreamTime => known }.asInstanceOf[Alias])))

  /** The type of the original rows. All columns are nullable, because a column that is never null now may have been
    * null when rows were stored (SEMANTICS S2).
    */
  def message: StructType = SparkInside.nullable(StructType(messageColumns.map(a => StructField(a.name, a.dataType))))
}

object AggregateParts {

  /** Returns the problems of the aggregation, and its parts, if the table is an aggregation. */
  def of(table: LogicalPlan): (Seq[SpecProblem], Option[AggregateParts]) = aggregation(table) match {
    case aggregate: Aggregate =>
      val dissection = new Dissection(aggregate)
      (dissection.problems, Some(dissection.parts))
    case other =>
      (Seq(SpecProblem("TABLE_NOT_AGGREGATED", "plan" -> other.nodeName)), None)
  }

  /** Returns the same for a grouping. The output shows all keys, regardless of `spark.sql.retainGroupColumns`. */
  def ofGrouping(table: LogicalPlan): (Seq[SpecProblem], Option[AggregateParts]) = {
    val (found, parts) = of(table)
    (found, parts.map(showing))
  }

  private def showing(parts: AggregateParts) =
    if (parts.shown.size >= parts.keys.size) parts
    else parts.copy(shown = parts.keys.map(key => Alias(key.toAttribute, key.name)()))

  /** Returns the parts of an aggregation that only groups and marks, or None for another table. */
  def ofMarkers(table: LogicalPlan): Option[AggregateParts] = aggregation(table) match {
    case aggregate: Aggregate => Some(showing(new Dissection(aggregate).parts)).filter(_.results.isEmpty)
    case _                    => None
  }

  /** Returns the aggregation, with expressions over its columns moved into it as columns. Spark creates such
    * expressions for an alias that another column of the same list uses.
    */
  private def aggregation(table: LogicalPlan): LogicalPlan = stripped(table) match {
    case Project(list, child) =>
      aggregation(child) match {
        case all: Aggregate => computed(list, all).fold(table)(columns => all.copy(aggregateExpressions = columns))
        case _              => table
      }
    case other => other
  }

  /** Returns the moved columns, or None if a column is nondeterministic: it would be evaluated once for each column
    * that uses it.
    */
  private def computed(list: Seq[NamedExpression], of: Aggregate): Option[Seq[NamedExpression]] = {
    val known = AttributeMap(of.aggregateExpressions.map {
      case alias: Alias => alias.toAttribute -> alias.child
      case other        => other.toAttribute -> other
    })
    Option.when(of.aggregateExpressions.forall(_.deterministic))(list.map {
      case alias: Alias => alias.withNewChildren(Seq(replaced(alias.child, known))).asInstanceOf[NamedExpression]
      case column: Attribute =>
        known.get(column).fold[NamedExpression](column) {
          case same: Attribute => same
          case value           => Alias(value, column.name)(column.exprId, explicitMetadata = Some(column.metadata))
        }
      case other => other
    })
  }

  private def replaced(expression: Expression, known: AttributeMap[Expression]): Expression = expression.transform {
    case column: Attribute => known.getOrElse(column, column)
  }

  /** Removes nodes that only name the aggregation. */
  private def stripped(plan: LogicalPlan): LogicalPlan = plan match {
    case SubqueryAlias(_, child)                                                  => stripped(child)
    case view: View                                                               => stripped(view.child)
    case Project(list, child) if list.map(_.exprId) == child.output.map(_.exprId) => stripped(child)
    case other                                                                    => other
  }

  private final class Dissection(aggregate: Aggregate) {
    private val replaced = aggregate.aggregateExpressions.map(_.transform {
      case replaceable: RuntimeReplaceable => replaceable.replacement
      case call: AggregateExpression       => DistinctCount.of(call)
    }.asInstanceOf[NamedExpression])

    private val (markers, columns) = replaced.partition(Marks.isMark)

    private val calls = columns.flatMap(_.collect { case call: AggregateExpression => call })
      .distinctBy(_.canonicalized)

    private val inputs = Seq.newBuilder[Alias]
    private var width  = 0

    private def input(expression: Expression): BoundReference = {
      val column = Alias(expression, s"input$width")()
      inputs += column
      width += 1
      BoundReference(width - 1, expression.dataType, expression.nullable || FailureCheck.may(expression))
    }

    /** Returns a function that reads its inputs by position. Constant arguments stay constant, except for two kinds.
      * Values such as the current time are constant only within a micro-batch, and Spark inserts them when it starts. A
      * constant that fails must fail for each row.
      */
    private def positioned(function: AggregateFunction): AggregateFunction = function.mapChildren {
      case constant if constant.foldable && !constant.containsPattern(CURRENT_LIKE) && Try(constant.eval()).isSuccess =>
        constant
      case order: SortOrder => order.copy(child = input(order.child), sameOrderExpressions = Nil)
      case expression       => input(expression)
    }.asInstanceOf[AggregateFunction]

    def problems: Seq[SpecProblem] = Marks.reserved(columns.map(_.name)) ++
      (if (calls.isEmpty) Seq(SpecProblem("AGGREGATE_MISSING"))
       else calls.flatMap(check))

    def parts: AggregateParts = {
      val functions = new FunctionSet(
        calls.map(call => positioned(call.aggregateFunction)),
        calls.map(_.filter.map(condition => input(condition).ordinal)))
      val keys    = aggregate.groupingExpressions.map(named)
      val results = calls.zipWithIndex.map { case (call, i) => AttributeReference(s"result$i", call.dataType)() }
      def over(expression: Expression): Expression = expression.transformDown {
        case call: AggregateExpression => results(calls.indexWhere(_.canonicalized == call.canonicalized))
        case e if aggregate.groupingExpressions.exists(_.semanticEquals(e)) =>
          keys(aggregate.groupingExpressions.indexWhere(_.semanticEquals(e))).toAttribute
      }
      val (shown, others) = columns.partition(column => keyOf(column).isDefined)
      val marked          = markers.map(column => column.name.stripPrefix(Marks.Prefix) -> markedBy(column)).toMap
      AggregateParts(
        keys,
        shown.map(column => Alias(keys(keyOf(column).get).toAttribute, column.name)()),
        inputs.result(),
        functions,
        results,
        others.map(column => Alias(over(SparkInside.unnamed(column)), column.name)()),
        CoGroupMarks.of(aggregate.child) ++ marked,
        aggregate.child)
    }

    private def keyOf(column: NamedExpression): Option[Int] =
      Some(aggregate.groupingExpressions.indexWhere(_.semanticEquals(SparkInside.unnamed(column)))).filter(_ >= 0)

    private def named(grouping: Expression): Alias = grouping match {
      case attribute: Attribute =>
        Alias(attribute, attribute.name)(nonInheritableMetadataKeys = Seq(CoGroupMarks.Marker))
      case other => Alias(other, other.sql)()
    }

    private def markedBy(column: NamedExpression): Expression = column.collectFirst { case first: First => first.child }
      .getOrElse(Literal(null))

    private def check(call: AggregateExpression): Seq[SpecProblem] = {
      val text = call.sql
      val distinct = Option.when(call.isDistinct)(SpecProblem(
        "AGGREGATE_NOT_MERGEABLE",
        "aggregate" -> text))
      val unknown = call.aggregateFunction match {
        case _: DeclarativeAggregate | _: ImperativeAggregate
            if !call.aggregateFunction.nodeName.contains("TypedAggregate") =>
          None
        case function =>
          Some(SpecProblem(
            "AGGREGATE_NOT_SUPPORTED.OF_ANOTHER_KIND",
            "aggregate" -> text,
            "function"  -> function.nodeName))
      }
      distinct.toSeq ++ unknown
    }
  }
}
