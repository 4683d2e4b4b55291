package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.windrow.SparkInside
import scala.language.implicitConversions
import windrow._
import windrow.explain.Explanation
import windrow.spark.cogroup.CoGroupPlan
import windrow.spark.input.CoGroupMarks
import windrow.spark.input.Marks
import windrow.spark.join.JoinOptions
import windrow.spark.join.JoinPlan
import windrow.spark.output.OutputKind
import windrow.spark.pack.PackStrategy
import windrow.spark.pack.Travel

/** A stream of a join, with a window of its own or without.
  *
  * @param fires
  *   what is said of how its windows fire, which those of a join do not
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

/** Streams that are to be joined. */
final class Joining private[spark] (sides: Seq[JoinSide]) {

  /** What comes out.
    *
    * @param on
    *   columns that all streams have and that must be equal; null equals nothing
    * @param within
    *   a range of event time or windows; None: the streams' own windows
    * @param bounds
    *   whether the ends of the range are inside: `[]`, `[)`, `(]`, `()`
    * @param early
    *   when rows come out: with each message, or every period
    * @param expect
    *   how many messages of other keys lie in a range; small keeps those of all keys in one run
    * @throws SpecError
    *   with everything that is wrong
    * @throws UnboundedJoinError
    *   if messages would be kept for ever
    */
  def apply(
      on: Seq[String] = Nil,
      within: JoinWithin = Within.OwnWindows,
      how: JoinKind = JoinKind.Inner,
      bounds: String = "[]",
      early: PaneTrigger = EachMessage,
      expect: ExpectedSize = ExpectedSize.Large): JoinOutput = {
    val streams                  = sides.map(_.stream)
    val names                    = streams.map(_.name)
    val kept                     = streams.map(_.retention)
    val (lateness, ofLateness)   = Joining.alike("lateness", streams.flatMap(s => s.allowed.map(s.name -> _)))
    val (future, ofFuture)       = Joining.alike("maxFuture", streams.flatMap(s => s.maxFuture.map(s.name -> _)))
    val (invalid, ofInvalid)     = Joining.alike("invalid", streams.map(s => s.name -> s.invalid))
    val (retention, ofRetention) = Joining.alike("retention", names.zip(kept))
    val ofBounds = Option.unless(JoinWithin.Bounds.contains(bounds))(
      SpecProblem(
        "VALUE_UNKNOWN",
        "name"    -> "bounds",
        "value"   -> bounds,
        "allowed" -> JoinWithin.Bounds.mkString(", ")))
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
      ofLateness ++ ofFuture ++ ofInvalid ++ ofRetention ++ ofWindows ++ ofBounds ++ ofSides ++ Joining.timeless(
        streams) ++
        Joining.behind(streams)
    if (found.nonEmpty) throw SpecError("a join", draft.check.left.getOrElse(Nil) ++ found)
    val output = new JoinOutput(draft.checked, streams, on, invalid.getOrElse(InvalidMessages.Reject))
    output.rows // so that mistakes show where they are made
    output
  }
}

private[spark] object Joining {

  /** The columns of a stream's messages and, marked, what windrow needs to know of each. */
  def marked(stream: Stream, keys: Seq[Column]): DataFrame = {
    val marks = stream.time.toSeq.map("time" -> _.column) ++ keys.zipWithIndex.map { case (key, i) =>
      s"key$i" -> key
    } ++
      stream.rowId.toSeq.flatMap(from => Seq("partition" -> from.partition.column, "offset" -> from.offset.column))
    Marks.beside(stream.df, s"stream '${stream.name}'", marks)
  }

  /** Streams as one; see [[CoGroupPlan]]. */
  def coGroup(streams: Seq[Stream]): Stream = {
    val (lateness, ofLateness)   = alike("lateness", streams.flatMap(s => s.allowed.map(s.name -> _)))
    val (invalid, ofInvalid)     = alike("invalid", streams.map(s => s.name -> s.invalid))
    val (retention, ofRetention) = alike("retention", streams.map(s => s.name -> s.retention))
    val keys                     = streams.map(_.key.size).distinct
    val ofTime                   = if (streams.forall(_.time.isEmpty)) Nil else timeless(streams)
    val found = ofLateness ++ ofInvalid ++ ofRetention ++ ofTime ++ behind(streams) ++
      Option.when(keys.size > 1)(
        SpecProblem("KEYS_DIFFER", "counts" -> keys.mkString(" and "))) ++
      Option.when(streams.exists(_.maxFuture.isDefined))(SpecProblem("VALUE_NOT_SUPPORTED.MAX_FUTURE"))
    if (found.nonEmpty) throw SpecError("a co-group", found)
    val first   = streams.head
    val session = first.df.sparkSession
    val names   = if (first.key.isEmpty) Nil else first.df.select(first.key.map(_.column): _*).columns.toSeq
    val plan = CoGroupPlan(
      session,
      streams.map(s => s.name -> s.watermark),
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
      invalid = invalid.getOrElse(InvalidMessages.Reject))
  }

  def timeless(streams: Seq[Stream]): Seq[SpecProblem] = streams.filter(_.time.isEmpty).map(one =>
    SpecProblem("TIME_NOT_STATED.STREAM", "stream" -> one.name))

  /** Each stream brings a watermark of event time (SEMANTICS R52). */
  def behind(streams: Seq[Stream]): Seq[SpecProblem] = streams.filter(_.behind.isDefined).map(one =>
    SpecProblem("VALUE_NOT_SUPPORTED.CLOCK_OF_STREAM", "stream" -> one.name))

  /** What streams say alike, or the problem that they do not. */
  def alike[T](what: String, said: Seq[(String, T)]): (Option[T], Seq[SpecProblem]) = {
    val each = said.map { case (name, value) => s"$value of '$name'" }.mkString(", ")
    val differs = Option.when(said.map(_._2).distinct.size > 1)(SpecProblem(
      "OPTION_DIFFERS",
      "name"   -> what,
      "values" -> each))
    (said.headOption.map(_._2), differs.toSeq)
  }
}

/** Rows of a join. Each DataFrame written alone is a query with a state of its own; `output` holds both in one. */
final class JoinOutput private[spark] (
    val spec: JoinSpec,
    streams: Seq[Stream],
    on: Seq[String],
    invalid: InvalidMessages = InvalidMessages.Reject) {

  /** `on` columns once, then a struct for each stream by its name, null where a row has no message of it; of semi and anti
    * joins the first stream's only
    */
  def rows: DataFrame = part(OutputKind.Rows)

  /** `stream`, `reason`, `watermark`, `processing_time`, `message`: a struct for each stream, one of them not null; and the
    * columns of other operators as [[Output.rejected]] has them
    */
  def rejected: DataFrame = part(OutputKind.Rejected)

  /** `kind`, and `rows` or `rejected` as a struct */
  def output: DataFrame = part(OutputKind.All)

  /** Prints which messages match and how long each stream is kept. */
  def explain(): Unit = println(explanation)

  private[spark] def explanation: String =
    Travel.told(
      Explanation(spec, on, streams.flatMap(stream => stream.watermark.map(stream.name -> _)).toMap),
      SparkInside.plan(output))

  /** Starts one query that writes rows and rejected messages to their sinks; see [[Output.start]]. */
  def start(
      checkpoint: String,
      rows: Option[Sink] = None,
      rejected: Option[Sink] = None,
      queryTrigger: Option[Trigger] = None,
      drain: Boolean = false,
      name: Option[String] = None): StreamingQuery =
    QueryStart(
      rejected.fold(part(OutputKind.Accepted))(_ => output),
      Seq("rows" -> rows, "rejected" -> rejected),
      HowToRun(checkpoint, queryTrigger, drain, name))

  private def part(kind: OutputKind): DataFrame = {
    val session = streams.head.df.sparkSession
    SparkInside.addStrategy(session, PackStrategy(session))
    val marks = streams.flatMap(stream => stream.watermark.map(stream.name -> _)).toMap
    val plans = streams.map(stream => SparkInside.plan(Joining.marked(stream, on.map(col))))
    SparkInside.frame(session, JoinPlan.marked(session, JoinOptions(spec, on, kind, invalid), marks, plans))
  }
}
