package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.windrow.SparkInside
import scala.language.implicitConversions
import windrow._
import windrow.explain.Clock
import windrow.explain.Explanation
import windrow.spark.ask.Asked
import windrow.spark.ask.Asking
import windrow.spark.pack.PackStrategy
import windrow.spark.plan._
import windrow.spark.state.Continuing
import windrow.spark.state.State

/** The Scala entry:
  * {{{
  * val out = Windrow.stream(orders, time = "time", key = Seq("product"), watermark = "1 minute")
  *   .lateness("0 seconds").window(Tumbling("1 minute")).aggregate(avg("price"))
  * out.panes // a DataFrame
  * }}}
  */
object Windrow {

  /** Describes a streaming or batch DataFrame; nothing runs.
    *
    * @param time
    *   event time: a name, or an expression of timestamp type
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
    State(SparkSession.active, checkpoint, operator)

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
    SparkInside.frame(session, Ending(session, SparkInside.plan(query), folder))
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
    Continuing.check(query.sparkSession, SparkInside.plan(query), checkpoint)

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
    df.groupBy(key.map(_.column): _*).agg(all.head, all.tail: _*)
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
      spec.map(QuerySpec.Policies(_)),
      AggregateParts.of(SparkInside.plan(described)),
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
      draft.check.map(QuerySpec.Aggregates(_)),
      AggregateParts.of(SparkInside.plan(described)),
      described.sparkSession))
  }

  /** Full state: a message store whose panes carry the messages that are new, and that can be looked into (see
    * [[Windrow.state]]). `retain` must be stated. Windows fire with each message unless `trigger` says otherwise.
    *
    * Throws [[SpecError]] with everything that is wrong.
    */
  def messages(): Output = {
    val described = stream.grouped(Nil, gap)
    val kept = FullStateDraft.of(
      draft,
      if (hasTriggers) draft.early else EachMessage,
      if (hasTriggers) draft.late else EachMessage).flatMap(_.check)
    Output.checked(new Output(
      stream,
      draft.window.toString,
      kept.map(QuerySpec.FullState(_)),
      KeptMessages.of(described.sparkSession, SparkInside.plan(described), None),
      described.sparkSession))
  }
}

/** What comes out. Each DataFrame written alone is a query with a state of its own; `output` holds both in one. */
final class Output private[spark] (
    stream: Stream,
    window: String,
    spec: Either[Seq[SpecProblem], QuerySpec],
    parts: (Seq[SpecProblem], Option[AggregateParts]),
    session: SparkSession) {

  /** key columns, `window`, aggregates or `messages`, `pane` */
  def panes: DataFrame = part(PanesOutput)

  /** `stream`, `reason`, `watermark`, `processing_time`, `message` */
  def rejected: DataFrame = part(RejectedOutput)

  /** Of windows by policies: key columns, `window`, `event`, `sequence`, `messages` */
  def events: DataFrame = part(EventsOutput)

  /** `kind`, and `panes`, `rejected` or `events` as a struct */
  def output: DataFrame = part(AllOutput)

  /** Prints what each window waits for. */
  def explain(): Unit = println(explanation)

  private[spark] def explanation: String = {
    def shown(fields: Seq[Field]) = fields.map(_.column).mkString(", ")
    val about = s"stream '${stream.name}'" + stream.time.fold("")(time => s", time ${shown(Seq(time))}") +
      (if (stream.key.isEmpty) ", without a key" else s", by ${shown(stream.key)}")
    val clock = stream.behind.map(Clock.OfProcessingTime(_)).orElse(stream.watermark.map(Clock.OfEvents(_)))
      .getOrElse(Clock.OfInput)
    spec.fold(
      problems => throw SpecError(window, problems),
      {
        case QuerySpec.Aggregates(operator) => Explanation(operator, about, clock)
        case QuerySpec.FullState(operator)  => Explanation(operator.windows, about, clock, keepsMessages = true)
        case QuerySpec.Policies(operator)   => Explanation(operator, about)
      })
  }

  /** Answers each row of a lookup stream with the messages that its key keeps, in one query; for `messages()`.
    *
    * A row is answered in the micro-batch that it comes with, by what is kept once the messages of that micro-batch are in
    * and what leaves with its watermark has left. Rows that are to wait for messages need a join.
    *
    * @param start
    *   of a closed range, an expression of a lookup: a timestamp, or a whole number, which is an offset; None and null: open
    * @param sessionKey
    *   for each key column what it must be; none: the lookups have columns of these names
    * @param joinKeys
    *   for each column that `store` declares what it must be; without `store` those are the key
    * @throws SpecError
    *   with everything that is wrong
    */
  def getMessages(
      lookups: DataFrame,
      start: Option[Field] = None,
      end: Option[Field] = None,
      sessionKey: Map[String, Column] = Map.empty,
      joinKeys: Map[String, Column] = Map.empty): Answers =
    ask(Answers.asking(Asked.Messages, lookups, start, end, sessionKey, joinKeys))

  /** Answers each row of a lookup stream with the windows of its key that overlap a range; see [[getMessages]]. Bounds are
    * timestamps, or positions for windows on positions.
    */
  def getWindows(
      lookups: DataFrame,
      start: Option[Field] = None,
      end: Option[Field] = None,
      sessionKey: Map[String, Column] = Map.empty): Answers =
    ask(Answers.asking(Asked.Windows, lookups, start, end, sessionKey, Map.empty))

  private def ask(asking: Asking): Answers = {
    val answers = new Answers(part(_, Some(asking)))
    answers.answers // so that mistakes show where they are made
    answers
  }

  /** Starts one query that writes panes, rejected rows and events of policies to their sinks; rows without a sink are
    * counted only.
    *
    * @param queryTrigger
    *   of the query; with periods of processing time it goes on without data, but `AvailableNow` ends with the last batch
    *   of data
    * @throws SpecError
    *   if there is nothing to write to, or nothing to wait for
    * @throws CheckpointError
    *   if the checkpoint was begun with what may not change
    */
  def start(
      checkpoint: String,
      panes: Option[Sink] = None,
      rejected: Option[Sink] = None,
      events: Option[Sink] = None,
      queryTrigger: Option[Trigger] = None,
      name: Option[String] = None): StreamingQuery = {
    panes.foreach {
      case table: Upsert if isInParts => throw SpecError("start(...)", Seq(table.ofParts))
      case _                          => ()
    }
    QueryStart(
      output,
      Seq("panes" -> panes, "rejected" -> rejected, "events" -> events),
      checkpoint,
      queryTrigger,
      name)
  }

  private def isInParts: Boolean = spec.exists {
    case QuerySpec.Aggregates(operator) => operator.accumulation == Discarding
    case _: QuerySpec.FullState         => true
    case _: QuerySpec.Policies          => false
  }

  private def part(kind: OutputKind, asking: Option[Asking] = None): DataFrame = {
    SparkInside.addStrategy(session, PackStrategy(session))
    val options = spec.map(QueryOptions(
      _,
      None,
      None,
      Map.empty,
      stream.watermark,
      stream.behind,
      stream.name,
      kind,
      stream.joinKeys))
    SparkInside.frame(session, WindowQuery.plan(session, window, options, parts, asking))
  }
}

private object Output {

  /** Mistakes show where they are made. */
  def checked(output: Output): Output = {
    output.panes
    output
  }
}
