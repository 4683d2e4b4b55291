package windrow.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.advice.Advice
import windrow.spark.gauges.GaugeListener
import windrow.spark.query.StateReader
import windrow.spark.query.WholeCheckpoint
import windrow.spark.running.BoundedInput
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

  /** Sets what state needs on a session that is to be made: `Windrow.configure(SparkSession.builder).getOrCreate()`. What was
    * set before stays, on the builder or by `--conf`. The JAR must be on the class path.
    */
  def configure(builder: SparkSession.Builder): SparkSession.Builder = Doctor.configure(builder)

  /** What is right and wrong with Spark, Java and the active session; it prints as a list. */
  def doctor(): Report = doctor(SparkSession.active)

  /** The same of a session. */
  def doctor(session: SparkSession): Report = Doctor.examine(session)

  /** Describes a streaming or batch DataFrame; nothing runs.
    *
    * @param time
    *   event time: a name, or an expression of timestamp type; none: that of panes is the last instant in their window
    * @param key
    *   names or expressions; none: all messages have one key
    * @param rowId
    *   the columns that identify a row, by which a duplicate is known
    * @param watermark
    *   greatest event time less this; None if the DataFrame has a watermark already
    * @param maxFuture
    *   messages further ahead of processing time are rejected and do not move the watermark
    * @param name
    *   of the stream, in rejected rows and in metrics
    * @param invalid
    *   what becomes of messages whose event time is missing, cannot be used or lies beyond `maxFuture`: they are handed
    *   back, or the first one ends the query with a [[windrow.MessageError]]
    */
  def stream(
      df: DataFrame,
      time: Option[Field] = None,
      key: Seq[Field] = Nil,
      rowId: Option[RowId] = None,
      watermark: Option[TimeSpan] = None,
      maxFuture: Option[TimeSpan] = None,
      name: String = "messages",
      invalid: InvalidMessages = InvalidMessages.Reject): Stream =
    Stream(df, time, key, rowId, watermark, maxFuture, name, None, invalid = invalid)

  /** What a running or stopped query keeps, from its checkpoint; the query is not disturbed.
    *
    * @param operator
    *   by the name of its stream, where the query has several; of a join, one of its streams
    */
  def state(checkpoint: String, operator: Option[String] = None): State =
    new State(SparkSession.active, checkpoint, operator)

  /** Which lateness would have caught how much of the messages that a query has seen (SEMANTICS S15), from its checkpoint.
    *
    * @param share
    *   of the messages that are to be caught, above 0 and at most 1
    * @throws windrow.SpecError
    *   if no lateness is known of its windows: those on positions, by policies, joins
    */
  def advise(checkpoint: String, share: Double = 0.999, operator: Option[String] = None): Advice =
    new StateReader(SparkSession.active, checkpoint, operator, whole = true).advise(share)

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

  /** Shows the figures of the session's windrow queries as gauges `windrow.<query>.<figure>` in Spark's metrics system, so
    * in every sink that it has (Prometheus, JMX, Graphite), while the query runs; a second call does nothing.
    */
  def publishMetrics(): Unit = GaugeListener.add(SparkSession.active)

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
