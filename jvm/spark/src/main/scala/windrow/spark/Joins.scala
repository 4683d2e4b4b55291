package windrow.spark

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Column, DataFrame}
import scala.language.implicitConversions
import windrow._
import windrow.explain.Explanation
import windrow.spark.cogroup.CoGroupPlan
import windrow.spark.input.{CoGroupMarks, Marks}
import windrow.spark.join.{JoinChains, JoinOptions, JoinOutputs}
import windrow.spark.output.OutputKind
import windrow.spark.pack.{PackStrategy, ShuffleText}

/** One input of a join: a stream, with or without a window of its own. Created implicitly from [[Stream]] and
  * [[Windowed]].
  *
  * @param fires
  *   names of settings of the window that control when it fires. A join rejects them, because its windows do not fire.
  */
final class JoinSide private[spark] (
    private[spark] val stream: Stream,
    private[spark] val window: Option[WindowKind],
    private[spark] val fires: Seq[String])

object JoinSide {
  implicit def ofStream(stream: Stream): JoinSide = new JoinSide(stream, None, Nil)

  implicit def ofWindowed(windowed: Windowed): JoinSide = {
    val draft = windowed.draft
    val fires = Seq(
      "trigger(...)"          -> windowed.hasTriggers,
      "accumulationMode(...)" -> draft.accumulation.isDefined,
      "closeOn"               -> (draft.closeOn != CloseOn.Watermark),
      "fillGaps"              -> draft.fillsGaps).collect { case (name, true) => name }
    new JoinSide(windowed.stream.copy(allowed = draft.lateness), Some(draft.window), fires)
  }
}

/** Streams to be joined. [[Windrow.join]] creates it. */
final class JoinBuilder private[spark] (sides: Seq[JoinSide]) {

  /** Joins the streams.
    *
    * @param on
    *   columns that all streams have and that must be equal; null matches nothing
    * @param within
    *   a range of event time, or windows; by default the streams' own windows
    * @param how
    *   which rows the join returns
    * @param bounds
    *   whether the ends of the range are included: `[]`, `[)`, `(]` or `()`
    * @param early
    *   when rows are emitted: with every row of the input, or once a period
    * @param expect
    *   how many rows of other keys are expected in a range. `Small` stores the rows of all keys in one run.
    * @param condition
    *   a further condition on the rows of a pair, over columns such as `o.amount`. In an outer join of several streams,
    *   a map with the condition of each stream that is joined.
    * @return
    *   the joined and the rejected rows
    * @throws SpecError
    *   with every problem of the description
    * @throws UnboundedJoinError
    *   if the join would keep rows forever
    */
  def apply(
      on: Seq[String] = Nil,
      within: JoinWithin = Within.OwnWindows,
      how: JoinKind = JoinKind.Inner,
      bounds: String = "[]",
      early: PaneTrigger = EachMessage,
      expect: ExpectedSize = ExpectedSize.Large,
      condition: Option[PairCondition] = None): JoinOutput = {
    val streams                  = sides.map(_.stream)
    val names                    = streams.map(_.name)
    val kept                     = streams.map(_.retention)
    val (lateness, ofLateness)   = JoinBuilder.alike("lateness", streams.flatMap(s => s.allowed.map(s.name -> _)))
    val (future, ofFuture)       = JoinBuilder.alike("maxFuture", streams.flatMap(s => s.maxFuture.map(s.name -> _)))
    val (invalid, ofInvalid)     = JoinBuilder.alike("invalid", streams.map(s => s.name -> s.invalid))
    val (retention, ofRetention) = JoinBuilder.alike("retention", names.zip(kept))
    val (behind, ofClock)        = JoinBuilder.clock(streams)
    val ofBounds = Option.unless(JoinWithin.Bounds.contains(bounds))(
      SpecProblem.unknown("bounds", bounds, JoinWithin.Bounds))
    val draft = JoinDraft(
      sides.map(side => JoinStream(side.stream.name, side.window)),
      on.nonEmpty,
      within.of(names, bounds),
      how,
      lateness,
      early,
      retention.getOrElse(Retention.NotStated),
      future,
      expect)
    val ofSides = sides.flatMap(side =>
      side.fires.map(name =>
        SpecProblem(
          "VALUE_NOT_SUPPORTED.JOIN_FIRES",
          "stream" -> side.stream.name,
          "name"   -> name)))
    val ofWindows = streams.filter(_.retention.windows.isDefined).map(one =>
      SpecProblem(
        "FIELD_UNKNOWN.NAME",
        "name"    -> "windows",
        "object"  -> s"retain(...) of '${one.name}' in a join",
        "allowed" -> "messages, time"))
    val found =
      ofLateness ++ ofFuture ++ ofInvalid ++ ofRetention ++ ofWindows ++ ofBounds ++ ofSides ++ JoinBuilder.timeless(
        streams) ++ ofClock ++ condition.toSeq.flatMap(_.problems(names, how))
    if (found.nonEmpty) throw SpecError("a join", draft.check.left.getOrElse(Nil) ++ found)
    val output =
      new JoinOutput(draft.checked, streams, on, invalid.getOrElse(InvalidMessages.Reject), behind, condition)
    output.rows // throws a SpecError here, in the call that contains the mistake
    output
  }
}

/** Two streams to be joined by the nearest row. [[Windrow.asofJoin]] creates it. */
final class AsofJoinBuilder private[spark] (left: Stream, right: Stream) {

  /** Joins each row of the first stream with the nearest row of the second.
    *
    * @param on
    *   columns that both streams have and that must be equal; null matches nothing
    * @param tolerance
    *   how far apart the event times of the two rows can be. Only `Backward` can omit it.
    * @param direction
    *   whether the row of the second stream is at or before the row of the first, at or after it, or on either side
    * @param how
    *   `Left` also returns rows without a partner, `Inner` does not
    * @param early
    *   `EachBatch` emits a row in its micro-batch and corrects it; `Never` emits each row once, when no nearer row can
    *   be accepted
    * @return
    *   the joined and the rejected rows
    * @throws SpecError
    *   with every problem of the description
    */
  def apply(
      on: Seq[String] = Nil,
      tolerance: TimeSpan = TimeSpan.Endless,
      direction: AsofDirection = AsofDirection.Backward,
      how: JoinKind = JoinKind.Left,
      early: PaneTrigger = EachBatch): JoinOutput =
    new JoinBuilder(Seq(left, right))(
      on,
      Within.AsOf(direction, Option.when(tolerance != TimeSpan.Endless)(tolerance)),
      how,
      early = early)
}

private[spark] object JoinBuilder {

  /** Adds the values that Windrow needs of each row to a stream, as marked columns. */
  def marked(stream: Stream, keys: Seq[Column]): DataFrame = {
    val marks = stream.time.toSeq.map("time" -> _.column) ++ keys.zipWithIndex.map { case (key, i) =>
      s"key$i" -> key
    } ++
      stream.rowId.toSeq.flatMap(from =>
        Seq("source" -> from.source.column, "partition" -> from.partition.column, "offset" -> from.offset.column)) ++
      stream.partitions.map { case (by, _) => "watermark_by" -> by.column }
    Marks.beside(stream.df, s"stream '${stream.name}'", marks)
  }

  /** Combines streams into one; see [[CoGroupPlan]]. */
  def coGroup(streams: Seq[Stream]): Stream = {
    val (lateness, ofLateness)   = alike("lateness", streams.flatMap(s => s.allowed.map(s.name -> _)))
    val (invalid, ofInvalid)     = alike("invalid", streams.map(s => s.name -> s.invalid))
    val (retention, ofRetention) = alike("retention", streams.map(s => s.name -> s.retention))
    val keys                     = streams.map(_.key.size).distinct
    val ofTime                   = if (streams.forall(_.time.isEmpty)) Nil else timeless(streams)
    val (behind, ofClock)        = clock(streams)
    val found = ofLateness ++ ofInvalid ++ ofRetention ++ ofTime ++ ofClock ++
      Option.when(keys.size > 1)(
        SpecProblem("KEYS_DIFFER", "counts" -> keys.mkString(" and "))) ++
      Option.when(streams.exists(_.maxFuture.isDefined))(SpecProblem("VALUE_NOT_SUPPORTED.MAX_FUTURE"))
    if (found.nonEmpty) throw SpecError("a co-group", found)
    val first   = streams.head
    val session = first.df.sparkSession
    val names   = if (first.key.isEmpty) Nil else first.df.select(first.key.map(_.column): _*).columns.toSeq
    val plan = CoGroupPlan(
      session,
      streams.map(s => s.name -> s.eventWatermark),
      names.size,
      streams.map(s => SparkInside.plan(marked(s, s.key.map(_.column)))))
    Stream(
      SparkInside.frame(session, plan),
      first.time.map(_ => Field(col(s"${CoGroupMarks.Marker}time"))),
      names.zipWithIndex.map { case (name, i) => Field(col(s"${CoGroupMarks.Marker}key$i").as(name)) },
      Option.when(streams.exists(_.rowId.isDefined))(
        RowId(s"${CoGroupMarks.Marker}source", s"${CoGroupMarks.Marker}partition", s"${CoGroupMarks.Marker}offset")),
      None,
      None,
      streams.map(_.name).mkString("_"),
      lateness,
      retention.getOrElse(Retention.NotStated),
      behind = behind,
      invalid = invalid.getOrElse(InvalidMessages.Reject))
  }

  def timeless(streams: Seq[Stream]): Seq[SpecProblem] = streams.filter(_.time.isEmpty).map(one =>
    SpecProblem("TIME_NOT_STATED.STREAM", "stream" -> one.name))

  /** Returns the delay of a watermark that follows processing time, which all streams or none must have (SEMANTICS R52).
    */
  def clock(streams: Seq[Stream]): (Option[TimeSpan], Seq[SpecProblem]) = {
    def shown(stream: Stream) =
      stream.behind.fold(stream.watermark.fold("none")(_.toString))(d => s"processing time - $d")
    val same       = streams.map(_.behind).distinct.sizeIs <= 1
    val (_, found) = if (same) (None, Nil) else alike("watermark", streams.map(s => s.name -> shown(s)))
    (streams.flatMap(_.behind).headOption, found)
  }

  /** Returns the value that all streams share, or a problem if their values differ. */
  def alike[T](what: String, settings: Seq[(String, T)]): (Option[T], Seq[SpecProblem]) = {
    val each = settings.map { case (name, value) => s"$value of '$name'" }.mkString(", ")
    val differs = Option.when(settings.map(_._2).distinct.size > 1)(SpecProblem(
      "OPTION_DIFFERS",
      "name"   -> what,
      "values" -> each))
    (settings.headOption.map(_._2), differs.toSeq)
  }
}

/** The output of a join. `rows` are joined rows: the `on` columns once, then one struct per stream, with the name of the
  * stream. The struct is null if the row lacks a partner in that stream. Semi and anti joins return only the first
  * stream. As-of joins also return `pane.is_retraction`, which is true for a row that withdraws an equal one. The column
  * `message` of `rejected` has one struct per stream, of which one is not null.
  */
final class JoinOutput private[spark] (
    val spec: JoinSpec,
    streams: Seq[Stream],
    on: Seq[String],
    invalid: InvalidMessages = InvalidMessages.Reject,
    behind: Option[TimeSpan] = None,
    condition: Option[PairCondition] = None)
    extends RowsOutput {

  private[spark] def explanation: String =
    ShuffleText.described(
      Explanation(
        spec,
        on,
        streams.flatMap(stream => stream.eventWatermark.map(stream.name -> _.clock)).toMap,
        behind,
        condition.toSeq.flatMap(_.inWords)),
      SparkInside.plan(output))

  private[spark] def part(kind: OutputKind): DataFrame = {
    val session = streams.head.df.sparkSession
    SparkInside.addStrategy(session, PackStrategy(session))
    val marks   = streams.flatMap(stream => stream.eventWatermark.map(stream.name -> _)).toMap
    val tables  = streams.map(stream => JoinBuilder.marked(stream, on.map(col)))
    val plans   = PairCondition.joined(streams.map(_.name), tables, condition, spec).map(SparkInside.plan)
    val options = JoinOptions(spec, on.map(JoinOutputs.unquoted), kind, invalid, behind)
    SparkInside.frame(session, JoinChains.marked(session, options, marks, plans))
  }
}
