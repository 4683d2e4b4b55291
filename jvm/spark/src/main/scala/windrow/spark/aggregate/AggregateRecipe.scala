package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.ProjectExec
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.execution.aggregate.ObjectHashAggregateExec
import org.apache.spark.sql.windrow.SparkInside
import windrow.Session
import windrow.TimeSpan
import windrow.WindowOperatorSpec
import windrow.core.time.Watermark
import windrow.spark.functions.FunctionSet
import windrow.spark.input.KeyCheck
import windrow.spark.pack._

/** How messages of aggregates are packed: those that share key and slice together where nothing tells them apart, by Spark's
  * own partial aggregation.
  */
private[spark] final class AggregateRecipe(
    spec: WindowOperatorSpec,
    functions: FunctionSet,
    shards: Int,
    shuffle: ShuffleMode,
    behind: Option[TimeSpan])
    extends PackRecipe(Some(spec), functions, shards, shuffle, behind) {

  def planned(
      pack: Pack,
      keys: Seq[Expression],
      watermark: Option[Watermark],
      later: LogicalPlan => SparkPlan): SparkPlan = {
    val carries = if (shuffle.whole) Literal(true) else CarriesMessage(spec, pack, watermark)
    sliceTime(pack).toOption.filter(_ => Combining.pays(pack.metrics)).fold(each(pack, keys, carries, later)) { slice =>
      val shared = If(Or(carries, isLate(pack, watermark)), pack.time, slice)
      Combining.noted(pack.metrics, combined(pack, keys, carries, shared, later))
    }
  }

  /** A session has an end of each of its messages, by which it is told how late they are. */
  private def isLate(pack: Pack, watermark: Option[Watermark]): Expression =
    gap.zip(watermark.filter(_.isDefined)).fold[Expression](Literal(false)) { case (gap, mark) =>
      LessThanOrEqual(Add(pack.time, gap), BatchConstant(mark.micros))
    }

  /** Of sessions, the same for all messages. */
  private val gap: Option[Literal] = Some(spec.window).collect { case Session(Some(gap)) => Literal(gap.micros) }

  /** What messages that can be combined share, or in words why none can. */
  private def sliceTime(pack: Pack): Either[String, Expression] =
    if (shuffle.sorted || functions.orderShows) Left("what comes out may go by their order")
    else if (behind.isDefined) Left("clocks are set back, so that any may be late")
    else if (!pack.message.forall(column =>
        KeyCheck.hasOrder(column.dataType))) // it sorts what does not fit into memory
      Left("Spark cannot sort messages with such columns")
    else SliceTime.of(spec, pack.time).toRight(s"${spec.window} tells each from the others")

  def travel(pack: Pack): String =
    if (shuffle.sorted) shuffle.inWords
    else s"${shuffle.inWords}, ${sliceTime(pack).fold(why => s"each by itself, for $why", _ => Combining.inWords)}"

  /** Messages by (key, slice); one that carries its row stays apart, with its own time. Those of a session are one from the
    * first to the last, with the gap behind.
    */
  private def combined(
      pack: Pack,
      keys: Seq[Expression],
      carries: Expression,
      shared: Expression,
      later: LogicalPlan => SparkPlan): PackExec = {
    val keyed   = keys.zipWithIndex.map { case (key, i) => Alias(key, s"key$i")() }
    val slice   = Alias(shared, "slice")()
    val time    = gap.toSeq.map(_ => Alias(pack.time, "time")())
    val struct  = CreateStruct(pack.message.map(SparkInside.binary))
    val raw     = Alias(If(carries, struct, Literal.create(null, struct.dataType)), "raw")()
    val values  = pack.inputs.zipWithIndex.map { case (input, i) => Alias(input, s"input$i")() }
    val end     = pack.end.map { case column: Attribute => column; case other => Alias(other, "end")().toAttribute }
    val project = ProjectExec(keyed ++ Seq(slice, raw) ++ time ++ end ++ values, later(pack.child))

    val ends       = time.map(_.toAttribute).flatMap(of => Seq(Min(of), Max(of)))
    val own        = (Count(Literal(1)) +: ends).map(AggregateExpression(_, Partial, isDistinct = false))
    val aggregates = own ++ functions.over(values.map(_.toAttribute))
    val grouping   = (keyed ++ Seq(slice, raw)).map(_.toAttribute) ++ end
    val buffers    = aggregates.map(_.aggregateFunction.inputAggBufferAttributes)
    // Instances of a function have buffers of their own ids; from here on these names stand for them.
    val named = buffers.flatten.map(b => AttributeReference(b.name, b.dataType, b.nullable)())
    val renamed = ProjectExec(
      grouping ++ buffers.flatten.zip(named).map { case (from, to) => Alias(from, to.name)(to.exprId) },
      partial(grouping, aggregates, project))
    val (first, last) = if (ends.isEmpty) (slice.toAttribute, None) else (named(1), Some(named(2)))
    PackExec.of(
      EntryPacking(
        keyed.map(_.toAttribute),
        first,
        IsNotNull(raw.toAttribute),
        raw.toAttribute,
        end,
        PackLift.Done(named.head, named.drop(own.size)),
        Some(spec.window),
        shuffle,
        shards,
        last.zip(gap).toSeq.map { case (last, gap) => Add(Subtract(last, first), gap) }),
      pack.output,
      ReadCount(pack.metrics, named.head, end, renamed))
  }

  /** Buffers of any length, such as texts, are objects; these Spark sorts beyond a number of groups. */
  private def partial(
      grouping: Seq[NamedExpression],
      aggregates: Seq[AggregateExpression],
      child: SparkPlan): SparkPlan = {
    val buffers = aggregates.flatMap(_.aggregateFunction.aggBufferAttributes)
    val output  = grouping ++ aggregates.flatMap(_.aggregateFunction.inputAggBufferAttributes)
    if (functions.fixedWidth)
      HashAggregateExec(None, isStreaming = false, None, grouping, aggregates, buffers, 0, output, child)
    else ObjectHashAggregateExec(None, isStreaming = false, None, grouping, aggregates, buffers, 0, output, child)
  }
}
