package windrow.spark.accelerate

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{DataType, DecimalType}
import windrow.spark.functions.{OverTime, TopN}
import windrow.{Session, SpecProblem, WindowKind}

/** An aggregation over windows that Windrow can run.
  *
  * @param aggregate
  *   Spark's aggregation
  * @param window
  *   the column of the windows by which it groups
  * @param time
  *   the event time, a column of `input`
  * @param gap
  *   the gap of each row in microseconds, if sessions have no constant one
  * @param input
  *   the input without windows
  */
private final case class WindowedAggregation(
    aggregate: Aggregate,
    window: Attribute,
    time: Attribute,
    gap: Option[Expression],
    input: LogicalPlan,
    kind: WindowKind) {

  /** The grouping expressions other than the window. */
  val grouping: Seq[Expression] =
    aggregate.groupingExpressions.filterNot(_.semanticEquals(window)).distinctBy(_.canonicalized)

  /** The aggregate functions of the output, each once. */
  val calls: Seq[AggregateExpression] =
    aggregate.aggregateExpressions.flatMap(_.collect { case call: AggregateExpression => call })
      .distinctBy(_.canonicalized)

  /** The columns of the input that are read, in its order. */
  def columns: Seq[Attribute] = {
    val read = AttributeSet(grouping ++ calls ++ gap :+ time)
    input.output.filter(read.contains)
  }

  /** The same aggregation over the new plan of its input. */
  def over(changed: Aggregate): Either[SpecProblem, WindowedAggregation] =
    WindowOrigin.of(changed.child, window).map(WindowedAggregation(changed, window, kind, _))
}

private object WindowedAggregation {
  import SparkJoins.hasWatermark

  private def apply(
      aggregate: Aggregate,
      window: Attribute,
      kind: WindowKind,
      origin: WindowOrigin): WindowedAggregation =
    WindowedAggregation(
      aggregate,
      window,
      origin.time,
      origin.session.filter(_ => kind == Session.OfMessage).map { case (_, gap) => gap },
      Filter(IsNotNull(origin.time), origin.input),
      kind)

  /** Whether a query aggregates sessions. */
  def hasSession(query: LogicalPlan): Boolean = query.exists {
    case aggregate: Aggregate => marked(aggregate).exists { case (_, isSession) => isSession }
    case _                    => false
  }

  /** Returns the aggregation, or the reason why Spark must run it. */
  def of(mode: OutputMode, aggregate: Aggregate): Either[SpecProblem, WindowedAggregation] = for {
    _     <- Either.cond(mode != OutputMode.Complete(), (), SpecProblem("COMPLETE_MODE"))
    found <- marked(aggregate)
    (window, isSession) = found
    _      <- Either.cond(hasWatermark(window), (), SpecProblem("NO_WATERMARK.ACCELERATION", "window" -> window.name))
    _      <- orderless(aggregate)
    _      <- exact(aggregate)
    origin <- WindowOrigin.of(aggregate.child, window)
    kind   <- WindowShape.of(origin, isSession)
    made = WindowedAggregation(aggregate, window, kind, origin)
    _ <- Either.cond(
      AttributeSet(made.grouping ++ made.calls).subsetOf(made.input.outputSet),
      (),
      SpecProblem("WINDOW_NOT_RECOGNIZED", "why" -> "a key or an aggregate reads the window"))
    _ <- refused(made, isSession).map(what => SpecProblem("NOT_SUPPORTED_BY_SPARK", "what" -> what)).toLeft(())
  } yield made

  private def refused(made: WindowedAggregation, isSession: Boolean): Option[String] =
    if (isSession && made.grouping.forall(_.foldable)) Some("a session window without a key")
    else made.grouping.collectFirst {
      case key: Attribute if hasWatermark(key) => s"the event time '${key.name}' as a key beside its window"
    }

  /** Returns the window by which the aggregation groups, and whether it is a session. */
  private def marked(aggregate: Aggregate): Either[SpecProblem, (Attribute, Boolean)] =
    aggregate.groupingExpressions.collect {
      case column: Attribute if column.metadata.contains(TimeWindow.marker)    => column -> false
      case column: Attribute if column.metadata.contains(SessionWindow.marker) => column -> true
    } match {
      case Seq(one) => Right(one)
      case _        => Left(SpecProblem("NO_WINDOW"))
    }

  /** Returns the reason if Spark computes an average of decimals with floating-point numbers, but Windrow exactly. */
  private def exact(aggregate: Aggregate): Either[SpecProblem, Unit] = called(aggregate).map(_.aggregateFunction match {
    case replaced: RuntimeReplaceableAggregate => replaced.replacement
    case function                              => function
  }).collectFirst {
    case mean: Average if isShortDecimal(mean.child.dataType) =>
      SpecProblem("AVERAGE_OF_DECIMALS", "aggregate" -> mean.sql)
  }.toLeft(())

  /** Whether Spark computes the average of decimals with floating-point numbers. */
  private def isShortDecimal(kind: DataType): Boolean =
    PartialFunction.cond(kind) { case decimal: DecimalType => decimal.precision <= 11 }

  private def called(aggregate: Aggregate): Seq[AggregateExpression] =
    aggregate.aggregateExpressions.flatMap(_.collect { case call: AggregateExpression => call })

  /** Returns the reason if the result of a function may depend on the order of rows or of partial results. */
  private def orderless(aggregate: Aggregate): Either[SpecProblem, Unit] =
    called(aggregate).find(call => !isOrderless(call.aggregateFunction)).map(call =>
      if (call.aggregateFunction.isInstanceOf[OverTime[_]])
        SpecProblem("OVER_TIME.ACCELERATED", "aggregate" -> call.sql)
      else SpecProblem("AGGREGATE_ORDER", "aggregate"    -> call.sql)).toLeft(())

  private def isOrderless(function: AggregateFunction): Boolean = function match {
    case replaced: RuntimeReplaceableAggregate => replaced.replacement match {
        case other: AggregateFunction => isOrderless(other)
        case _                        => false
      }
    case _: Count | _: Sum | _: Average | _: BitAggregate | _: CentralMomentAgg | _: Covariance |
        _: PearsonCorrelation | _: HyperLogLogPlusPlus | _: Percentile => true
    // Which of the strings that a collation considers equal is returned depends on the order.
    case _: Min | _: Max | _: TopN => function.children.forall(of => UnsafeRowUtils.isBinaryStable(of.dataType))
    case _                         => false
  }
}
