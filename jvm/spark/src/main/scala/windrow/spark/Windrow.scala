package windrow.spark

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._
import org.apache.spark.sql.windrow.SparkInside
import scala.language.implicitConversions
import windrow._
import windrow.spark.aggregate.Aggregates
import windrow.spark.fullstate.FullState
import windrow.spark.fullstate.FullStateParts
import windrow.spark.input.AggregateParts
import windrow.spark.query.WholeCheckpoint
import windrow.spark.running.BoundedInput
import windrow.spark.policy.Policies
import windrow.spark.running.ResumeCheck
import windrow.spark.verify.Verification

/** The Scala entry:
  * {{{
  * val out = Windrow.stream(orders, time = "time", key = Seq("product"), watermark = Some("1 minute"))
  *   .lateness("0 seconds").window(Tumbling("1 minute")).aggregate(avg("price"))
  * out.panes // a DataFrame
  * }}}
  */
object Windrow {

  /** Describes a streaming or batch DataFrame; nothing runs.
    *
    * @param time
    *   event time: a name, or an expression of timestamp type; none: that of panes is the last instant in their window
    * @param key
    *   names or expressions; none: all messages have one key
    * @param offset
    *   identity of a message, by which a replay is known
    * @param watermark
    *   greatest event time less this; None if the DataFrame has a watermark already
    * @param maxFuture
    *   messages further ahead of processing time are rejected and do not move the watermark
    * @param name
    *   of the stream, in rejected rows and in metrics
    */
  def stream(
      df: DataFrame,
      time: Option[Field] = None,
      key: Seq[Field] = Nil,
      offset: Option[Offset] = None,
      watermark: Option[TimeSpan] = None,
      maxFuture: Option[TimeSpan] = None,
      name: String = "messages"): Stream =
    Stream(df, time, key, offset, watermark, maxFuture, name, None)

  /** What a running or stopped query keeps, from its checkpoint; the query is not disturbed.
    *
    * @param operator
    *   by the name of its stream, where the query has several; of a join, one of its streams
    */
  def state(checkpoint: String, operator: Option[String] = None): State =
    new State(SparkSession.active, checkpoint, operator)

  /** Reads a whole checkpoint and says which of its files are not as they were written; changes nothing.
    *
    * @param outputs
    *   folders that Spark's file sink writes for the query, with its own log
    * @param deep
    *   every stored value as well; the path must be one that Spark's reader of state takes
    * @throws CheckpointError
    *   if there is no checkpoint
    */
  def verify(checkpoint: String, outputs: Seq[String] = Nil, deep: Boolean = false): Verification =
    WholeCheckpoint.verify(SparkSession.active, checkpoint, outputs, deep)

  /** A query of windrow that ends: a line of text in a folder says that all is in. Then every window is complete and fires,
    * and what comes after is late.
    *
    * @param query
    *   panes, rejected rows, rows of joins or `output`; streaming
    * @param folder
    *   that is there before the query starts
    */
  def until(query: DataFrame, folder: String): DataFrame = {
    val session = query.sparkSession
    SparkInside.frame(session, BoundedInput(session, SparkInside.plan(query), folder))
  }

  /** Asks before a query starts on a checkpoint that exists whether it can go on from there. What cannot be told yet, the
    * query tells.
    *
    * @param query
    *   panes, rejected rows, rows of joins or `output`; streaming
    * @throws CheckpointError
    *   if the checkpoint was begun with what may not change
    */
  def continues(query: DataFrame, checkpoint: String): Unit =
    ResumeCheck.check(query.sparkSession, SparkInside.plan(query), checkpoint)

  /** Joins two and more streams: `join(o, s)(on = Seq("id"), within = Within("0 minutes", "5 minutes"))`. */
  def join(sides: JoinSide*): Joining = new Joining(sides)

  /** Streams as one, whose messages are a struct for each stream by its name, one of them not null. Keys
    * are those of each stream, shown under the names of the first one's.
    */
  def cogroup(streams: Stream*): Stream = Joining.coGroup(streams)
}

/** A column: its name, or an expression. */
final case class Field(column: Column)

object Field {
  implicit def ofName(name: String): Field     = Field(col(name))
  implicit def ofColumn(column: Column): Field = Field(column)

  implicit def stated(name: String): Option[Field]         = Some(Field(col(name)))
  implicit def statedColumn(column: Column): Option[Field] = Some(Field(column))
}

/** Where the identity of a message stands. */
final case class Offset(source: Field, partition: Field, offset: Field)

object Offset {
  val kafka: Offset = Offset("topic", "partition", "offset")

  implicit def stated(offset: Offset): Option[Offset] = Some(offset)
}

/** A described input; see [[Windrow.stream]]. */
final case class Stream private[spark] (
    df: DataFrame,
    time: Option[Field],
    key: Seq[Field],
    offset: Option[Offset],
    watermark: Option[TimeSpan],
    maxFuture: Option[TimeSpan],
    name: String,
    allowed: Option[TimeSpan],
    retention: Retention = Retention.NotStated,
    joinKeys: Seq[String] = Nil,
    behind: Option[TimeSpan] = None) {

  /** The watermark is the processing time less a delay, whatever comes or does not come, instead of the greatest event time
    * less one.
    */
  def behindProcessingTime(delay: TimeSpan): Stream = copy(behind = Some(delay))

  /** How long after its end a window takes messages still; [[TimeSpan.Endless]]: without end. */
  def lateness(allowed: TimeSpan): Stream = copy(allowed = Some(allowed))

  /** How much of the past is kept; of several limits whichever bites first.
    *
    * @param time
    *   so long behind the watermark
    * @param messages
    *   the newest so many of each key
    * @param windows
    *   the newest so many of each key
    */
  def retain(time: Option[TimeSpan] = None, messages: Option[Long] = None, windows: Option[Long] = None): Stream =
    copy(retention = Retention(time, messages, windows))

  /** By which columns of a message `State.getMessages` asks for it; without it that is the key. For `messages()`. */
  def store(joinKeys: Seq[String]): Stream = copy(joinKeys = joinKeys)

  /** @param gap
    *   for `Session.OfMessage`: an interval, or whole microseconds
    * @param complete
    *   what completes a window
    * @param fillGaps
    *   tumbling and hopping windows without messages fire too
    */
  def window(
      kind: WindowKind,
      gap: Option[Field] = None,
      complete: Completion = Completion.ByWatermark,
      fillGaps: Boolean = false): Windowed = {
    val draft = WindowOperatorDraft(
      kind,
      lateness = allowed,
      complete = complete,
      fillGaps = fillGaps,
      retention = retention,
      maxFuture = maxFuture)
    Windowed(this, draft, gap)
  }

  /** A window for each key, by policies: they go by messages and processing time, never by event time, so the stream needs
    * no time and no watermark.
    *
    * @param limits
    *   when the windows of whole keys leave; of numbers of all keys or messages: all keys are in one shard then
    */
  def policy(eviction: Eviction, limits: PartitionLimits = PartitionLimits.NotStated): PolicyWindowed =
    PolicyWindowed(this, PolicyWindowSpec.check(eviction, limits))

  /** An aggregation that says keys, aggregates and fields of messages; it is never run. */
  private[spark] def grouped(aggregates: Seq[Column], gap: Option[Field]): DataFrame = {
    def marker(name: String, field: Field) = first(field.column).as(s"__windrow_$name")
    val markers = time.map(marker("time", _)) ++ gap.map(marker("gap", _)) ++ offset.toSeq.flatMap(from =>
      Seq(marker("source", from.source), marker("partition", from.partition), marker("offset", from.offset)))
    val all = aggregates ++ markers
    try df.groupBy(key.map(_.column): _*).agg(all.head, all.tail: _*)
    catch {
      case refused: AnalysisException => throw SpecError(
          s"stream '$name'",
          Seq(SpecProblem("QUERY_REFUSED", "said" -> refused.getSimpleMessage)))
    }
  }
}

/** A stream in windows by policies. */
final case class PolicyWindowed private[spark] (stream: Stream, spec: Either[Seq[SpecProblem], PolicyWindowSpec]) {

  /** Spark's own aggregates, and expressions of them.
    *
    * Throws [[SpecError]] with everything that is wrong.
    */
  def aggregate(column: Column, more: Column*): Output = {
    val described = stream.grouped(column +: more, gap = None)
    Output.checked(new Output(
      stream,
      "Policy",
      spec.map(Policies(_)),
      AggregateParts.ofGrouping(SparkInside.plan(described)),
      described.sparkSession))
  }
}

/** A stream in windows. */
final case class Windowed private[spark] (
    stream: Stream,
    draft: WindowOperatorDraft,
    gap: Option[Field],
    hasTriggers: Boolean = false) {

  def lateness(allowed: TimeSpan): Windowed = copy(draft = draft.copy(lateness = Some(allowed)))

  /** When windows fire: while incomplete, when complete, and while they take messages still.
    *
    * @param fireOnlyUpdated
    *   no pane whose value is that of the window's last one
    */
  def trigger(
      early: PaneTrigger = Never,
      onTime: Boolean = true,
      late: PaneTrigger = EachStep,
      fireOnlyUpdated: Boolean = false): Windowed =
    copy(
      draft = draft.copy(early = early, onTime = onTime, late = late, fireOnlyUpdated = fireOnlyUpdated),
      hasTriggers = true)

  /** What panes hold; to be stated where a window can fire twice. */
  def accumulate(mode: AccumulationMode): Windowed = copy(draft = draft.copy(accumulation = Some(mode)))

  /** Spark's own aggregates, and expressions of them.
    *
    * Throws [[SpecError]] with everything that is wrong.
    */
  def aggregate(column: Column, more: Column*): Output = {
    val described = stream.grouped(column +: more, gap)
    Output.checked(new Output(
      stream,
      draft.window.toString,
      draft.check.map(Aggregates(_)),
      AggregateParts.ofGrouping(SparkInside.plan(described)),
      described.sparkSession))
  }

  /** Full state: a message store whose panes carry the messages that are new, and that can be looked into (see
    * [[Windrow.state]]). `retain` must be stated. Windows fire with each message unless `trigger` says otherwise.
    *
    * Throws [[SpecError]] with everything that is wrong.
    */
  def messages(): Output = {
    val described = stream.grouped(Nil, gap)
    val kept = FullStateDraft.check(
      draft,
      if (hasTriggers) draft.early else EachMessage,
      if (hasTriggers) draft.late else EachMessage)
    Output.checked(new Output(
      stream,
      draft.window.toString,
      kept.map(FullState(_)),
      FullStateParts.of(described.sparkSession, SparkInside.plan(described), None),
      described.sparkSession))
  }
}
