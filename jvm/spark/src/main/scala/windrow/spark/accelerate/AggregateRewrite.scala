package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count}
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.spark.aggregate.Aggregates
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputKind
import windrow.spark.stream.{StreamOptions, WindowQuery}

/** Plans an aggregation as an operator of Windrow. The new plan has the columns of the old one. */
private final class AggregateRewrite(
    session: SparkSession,
    mode: OutputMode,
    settings: AcceleratedSettings,
    found: WindowedAggregation,
    name: String) {
  import found._

  private val isUpdate = mode == OutputMode.Update()

  /** Counts the rows of a window of a query without functions, because Windrow needs at least one. */
  private val rows = Option.when(calls.isEmpty)(Count(Literal(1)).toAggregateExpression())

  /** @throws SpecError
    *   if Windrow cannot run the aggregation
    */
  def plan: LogicalPlan = {
    val panes          = SparkInside.plan(SparkInside.frame(session, operator))
    val (keys, others) = panes.output.splitAt(grouping.size)
    val values         = new Values(keys, others.head, others.tail)
    val columns = aggregate.aggregateExpressions.zip(aggregate.output).map {
      case (Alias(value, _), old) => Columns.like(old, values.of(value))
      case (value, old)           => Columns.like(old, values.of(value))
    }
    SparkInside.plan(SparkInside.frame(session, Project(columns, panes)))
  }

  private def operator: LogicalPlan = {
    val spec = WindowOperatorDraft(
      kind,
      lateness = Some(settings.lateness.filter(_ => isUpdate).getOrElse(TimeSpan.Zero)),
      early = if (isUpdate) EachBatch else Never,
      onTime = !isUpdate, // a window that completes with new rows emits them as a late pane
      accumulation = Option.when(isUpdate)(Accumulating)).check
    val options = StreamOptions(None, None, Map.empty, None, None, name, OutputKind.Panes, isAccelerated = true)
    val (problems, parts) = AggregateParts.of(described)
    WindowQuery.plan(
      session,
      name,
      spec.map(Aggregates(_) -> options),
      (problems, parts.map(_.copy(markers = markers))))
  }

  private val inputs = {
    val all = if (settings.rejected.isEmpty) columns else columns ++ input.output.filterNot(columns.contains)
    all.zip(Columns.unique(all))
  }

  private val renamed = AttributeMap(inputs.map { case (column, as) => column -> as.toAttribute })

  private def markers: Map[String, Expression] =
    (Seq("time" -> read(time)) ++ gap.map("gap" -> read(_))).toMap

  private def read(expression: Expression): Expression =
    expression.transform { case column: Attribute => renamed.getOrElse(column, column) }

  /** The aggregation without windows, with unique names of its keys and results. */
  private def described: Aggregate = {
    val all               = calls ++ rows
    val names             = Columns.names(grouping.map(nameOf) ++ all.map(nameOf), Seq("window", "pane", "message"))
    val (ofKeys, ofCalls) = names.splitAt(grouping.size)
    val keys              = grouping.map(read).zip(ofKeys).map { case (key, name) => Alias(key, name)() }
    val results           = all.map(read).zip(ofCalls).map { case (call, name) => Alias(call, name)() }
    Aggregate(grouping.map(read), keys ++ results, Project(inputs.map(_._2), input))
  }

  /** Returns the name that the user gave to a key or result, or a plain one. */
  private def nameOf(expression: Expression): String = expression match {
    case column: Attribute => column.name
    case other =>
      aggregate.aggregateExpressions.collectFirst { case Alias(same, name) if same.semanticEquals(other) => name }
        .getOrElse(if (other.isInstanceOf[AggregateExpression]) "result" else "key")
  }

  /** The values of a pane that replace the expressions of the aggregation. */
  private final class Values(keys: Seq[Attribute], pane: Attribute, results: Seq[Attribute]) {

    def of(expression: Expression): Expression = expression match {
      case call: AggregateExpression =>
        like(call, results(calls.indexWhere(_.canonicalized == call.canonicalized)))
      case same if same.semanticEquals(window) => bounds
      case key if grouping.exists(_.semanticEquals(key)) =>
        like(key, keys(grouping.indexWhere(_.semanticEquals(key))))
      case other => other.mapChildren(of)
    }

    private def like(old: Expression, value: Attribute): Expression =
      if (old.nullable || !value.nullable) value else KnownNotNull(value)

    /** The window as Spark's struct of start and end. */
    private def bounds: Expression =
      CreateNamedStruct(window.dataType.asInstanceOf[StructType].fields.toSeq.zipWithIndex.flatMap { case (field, i) =>
        val bound = GetStructField(pane, i)
        Seq(Literal(field.name), if (field.nullable) KnownNullable(bound) else KnownNotNull(bound))
      })
  }
}
