package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.aggregate.{HashAggregateExec, ObjectHashAggregateExec}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}
import org.apache.spark.sql.windrow.SparkInside
import windrow.WindowFamily._
import windrow.core.time.Watermark
import windrow.spark.functions.FunctionSet
import windrow.spark.input.KeyCheck
import windrow.spark.pack._
import windrow.spark.version.Arithmetic
import windrow.{TimeSpan, WindowOperatorSpec}

/** Packs the rows of aggregates. Combines rows that share key and slice by Spark's own partial aggregation, and rows of
  * one session by [[PartialSessions]], if no result depends on the difference.
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
    val carries = if (shuffle.whole) Literal(true) else RejectableRows(spec, pack, watermark)
    sliceTime(pack).toOption.filter(_ => CombineChoice.pays(pack.metrics)).fold(each(pack, keys, carries, later)) {
      slice =>
        val parts   = new Parts(pack, keys, carries, later)
        val isAlone = Or(carries, isLate(pack, watermark))
        CombineChoice.noted(
          pack.metrics,
          madeSessions.fold(bySlice(parts, slice, isAlone))(
            bySession(parts, isAlone, _)))
    }
  }

  /** Whether a session row may be late. A session has an end for each of its rows, and lateness is judged by it. */
  private def isLate(pack: Pack, watermark: Option[Watermark]): Expression =
    gap.zip(watermark.filter(_.isDefined)).fold[Expression](Literal(false)) { case (gap, mark) =>
      LessThanOrEqual(Arithmetic.add(pack.time, Literal(gap)), BatchConstant(mark.micros))
    }

  /** The gap of sessions with a fixed gap, in microseconds; the shortest one among several windows. */
  private val gap: Option[Long] = spec.window.family match {
    case Sessions(gap)    => gap.map(_.micros)
    case several: Several => several.gaps.minOption
    case _: Aligned | SingleWindow | _: CutSessions | _: Inherited | _: Run | _: Numbered | _: OffsetFamily => None
  }

  /** The gap, if sessions are combined before the shuffle. */
  private val madeSessions: Option[Long] = gap.filter(_ => functions.fixedWidth && !spec.window.isNamed)

  /** The part of an entry's value that all rows have: several windows add their own gaps. */
  private val valueOfAll: Option[Long] = gap.map(all => if (spec.window.isNamed) 0L else all)

  /** Returns the time that rows must share to be combined, or the reason why no rows can be combined. */
  private def sliceTime(pack: Pack): Either[String, Expression] =
    if (shuffle.sorted || functions.dependsOnOrder) Left("the result may depend on their order")
    else if (behind.isDefined) Left("the clock can be set back, so that any row may be late")
    else if (madeSessions.isEmpty && !pack.message.forall(column => KeyCheck.hasOrder(column.dataType)))
      Left("Spark cannot sort rows with such columns") // which it does if they do not fit into memory
    else SliceTime.of(spec, pack.time).toRight(s"${spec.window} needs each of them")

  def travel(pack: Pack): String =
    if (shuffle.sorted) shuffle.inWords
    else
      s"${shuffle.inWords}, " +
        sliceTime(pack).fold(why => s"each separately, because $why", _ => CombineChoice.inWords(common))

  private def common: String =
    if (madeSessions.isDefined) "share a key and are at most the gap apart" else "share a key and a slice"

  /** Groups rows by key and slice. A row that carries its original row stays separate and keeps its own time. The rows
    * of a session form one entry that covers their first to last time plus the gap. A late row never joins such an
    * entry, even if it has the same slice.
    */
  private def bySlice(parts: Parts, shared: Expression, isAlone: Expression): PackExec = {
    val slice    = Alias(If(isAlone, parts.time, shared), "slice")()
    val time     = gap.toSeq.map(_ => Alias(parts.time, "time")())
    val alone    = gap.toSeq.map(_ => Alias(isAlone, "alone")())
    val messages = parts.messages(slice +: (time ++ alone))

    val ends       = time.map(_.toAttribute).flatMap(of => Seq(Min(of), Max(of)))
    val own        = (Count(Literal(1)) +: ends).map(AggregateExpression(_, Partial, isDistinct = false))
    val aggregates = own ++ functions.over(parts.inputs, IsNotNull(slice.toAttribute))
    val grouping   = (parts.keys :+ slice.toAttribute) ++ alone.map(_.toAttribute) ++ parts.rest
    val buffers    = aggregates.map(_.aggregateFunction.inputAggBufferAttributes)
    // Each instance of a function has buffers with its own ids. These names replace them from here on.
    val named = buffers.flatten.map(_.newInstance())
    val renamed = ProjectExec(
      grouping ++ buffers.flatten.zip(named).map { case (from, to) => Alias(from, to.name)(to.exprId) },
      partial(grouping, aggregates, messages))
    val (first, last) = if (ends.isEmpty) (slice.toAttribute, None) else (named(1), Some(named(2)))
    parts.packed(PackLift.Done(named.head, named.drop(own.size)), first, last, renamed)
  }

  /** Groups rows of a key that are at most the gap apart. A row that may be late stays separate. */
  private def bySession(parts: Parts, isAlone: Expression, gap: Long): PackExec = {
    val time  = Alias(parts.time, "time")()
    val alone = Alias((isAlone +: parts.end).reduce(Or), "alone")()
    val columns = SessionColumns(
      parts.keys,
      time.toAttribute,
      gap,
      alone.toAttribute,
      functions,
      parts.inputs,
      parts.rest)
    parts.packed(
      PackLift.Done(columns.count, columns.values),
      columns.first,
      Some(columns.last),
      PartialSessionsExec(columns, parts.messages(Seq(time, alone))))
  }

  /** The columns of rows before they are combined, and the packing of the combined entries. */
  private final class Parts(
      pack: Pack,
      keyed: Seq[Expression],
      carries: Expression,
      later: LogicalPlan => SparkPlan) {
    private val struct         = CreateStruct(pack.message.map(SparkInside.binary))
    private val raw            = Alias(If(carries, struct, Literal.create(null, struct.dataType)), "raw")()
    private val key            = keyed.zipWithIndex.map { case (key, i) => Alias(key, s"key$i")() }
    private val values         = pack.inputs.zipWithIndex.map { case (input, i) => Alias(input, s"input$i")() }
    val time: Expression       = pack.time
    val keys: Seq[Attribute]   = key.map(_.toAttribute)
    val inputs: Seq[Attribute] = values.map(_.toAttribute)

    private val ends = pack.end.map { case column: Attribute => column; case other => Alias(other, "end")() }

    /** Whether a row marks the end of the input; empty if the input is unbounded. */
    val end: Seq[Attribute] = ends.map(_.toAttribute)

    /** Columns that accompany a row that stays separate. */
    val rest: Seq[Attribute] = raw.toAttribute +: end

    def messages(more: Seq[NamedExpression]): SparkPlan =
      ProjectExec((key ++ more :+ raw) ++ ends ++ values, later(pack.child))

    /** Packs combined entries.
      *
      * @param last
      *   the last time of a session's rows
      */
    def packed(lift: PackLift.Done, first: Attribute, last: Option[Attribute], combined: SparkPlan): PackExec =
      PackExec.of(
        EntryPacking(
          keys,
          first,
          IsNotNull(raw.toAttribute),
          raw.toAttribute,
          end,
          lift,
          Some(spec.window),
          shuffle,
          shards,
          last.zip(valueOfAll).toSeq.map { case (last, all) =>
            Arithmetic.add(Arithmetic.subtract(last, first), Literal(all))
          }),
        pack.output,
        ReadCount(pack.metrics, lift.count, end, combined))
  }

  /** Aggregates partially. Buffers of variable width, such as strings, are objects; Spark switches from hashing to
    * sorting beyond a certain number of their groups.
    */
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
