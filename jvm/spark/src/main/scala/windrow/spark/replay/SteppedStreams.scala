package windrow.spark.replay

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.windrow.QueryClock
import scala.collection.mutable
import windrow.testkit._

/** A message of one of several streams, or the watermark of all of them for the step after this one; see [[InputRow]].
  *
  * @param stream
  *   None in a watermark
  */
final case class StreamRow(
    stream: Option[String],
    key: Option[String],
    time: Option[Long],
    number: Option[Long],
    text: Option[String],
    partition: Option[Int],
    offset: Option[Long],
    gap: Option[Long],
    mark: Option[Long])

/** A query over several streams. Spark takes them from one source, so that a step is one micro-batch; each has a watermark
  * of its own.
  */
private[replay] abstract class SteppedStreams(session: SparkSession, transcript: TranscriptCase, checkpoint: String)
    extends Stepped {
  private implicit val spark: SparkSession      = session
  private implicit val rows: Encoder[StreamRow] = Encoders.product[StreamRow]

  /** What comes out, flat: kind first. */
  protected def output: DataFrame

  protected def emission(rows: Seq[Row]): Emission

  private val feeds    = transcript.steps.collect { case feed: Step.Feed => feed }
  private val messages = feeds.flatMap(_.messages)
  private val clock =
    new QueryClock(feeds.flatMap(_.processingTime).headOption.fold(System.currentTimeMillis)(_ / 1000 - 1))
  private val input     = MemoryStream[StreamRow]
  private val collected = mutable.ArrayBuffer.empty[Row]
  private val counted   = mutable.HashMap.empty[String, Long].withDefaultValue(0L)
  private lazy val made = output
  private var query     = Option.empty[StreamingQuery]

  protected val hasOffsets: Boolean = messages.exists(_.identity.isDefined)

  /** key (as JSON), time, value, partition, offset, gap of the messages of one stream */
  protected def messagesOf(stream: String): DataFrame = {
    val hasTexts = messages.exists(_.value.isInstanceOf[Value.Text])
    input.toDF()
      .withColumn("clock", timestamp_millis(col("mark"))).withWatermark("clock", "0 seconds")
      .where(when(col("clock").isNull, col("stream")) === stream) // cannot be moved below the watermark, in no part
      .select(
        col("key"),
        timestamp_micros(col("time")).as("time"),
        col(if (hasTexts) "text" else "number").as("value"),
        col("partition"),
        col("offset"),
        col("gap"))
  }

  def step(messages: Seq[Message], mark: Long, next: Long, processingTime: Option[Long]): Emission = {
    if (query.isEmpty) {
      query = Some(start())
      run(Seq(watermarkRow(mark)))
    }
    clock.moveTo(processingTime.fold(0L)(_ / 1000))
    collected.clear()
    run(watermarkRow(next) +: messages.map(row))
    emission(collected.toSeq)
  }

  def restart(): Unit = query.foreach { running =>
    running.stop()
    query = Some(start())
  }

  def counters: Map[String, Long] = counted.toMap + ("filtered" -> 0L)

  def ask(query: Query): Answer = Answer.Refused("NO_MESSAGE_STORE")

  def close(): Unit = query.foreach(_.stop())

  private def watermarkRow(mark: Long) = StreamRow(None, None, None, None, None, None, None, None, Some(mark))

  private def row(message: Message): StreamRow = {
    val plain = StepQuery.row(message)
    StreamRow(
      message.stream,
      plain.key,
      plain.time,
      plain.number,
      plain.text,
      plain.partition,
      plain.offset,
      plain.gap,
      None)
  }

  private def run(batch: Seq[StreamRow]): Unit = {
    input.addData(batch)
    query.get.processAllAvailable()
    query.get.lastProgress.observedMetrics.forEach { (_, counts) =>
      Seq("accepted", "rejected", "replays", "gaps").foreach(name => counted(name) += counts.getAs[Long](name))
    }
  }

  private def start(): StreamingQuery = {
    val started = made.writeStream.option("checkpointLocation", checkpoint)
      .foreachBatch { (batch: DataFrame, _: Long) =>
        collected ++= batch.collect()
        ()
      }.start()
    clock.rule(started)
    started
  }

  /** Time and value of a message in a row, as columns; null where there is none. */
  protected def shown(message: Column): Seq[Column] = Seq(unix_micros(message("time")), message("value"))

  protected def stored(row: Row, at: Int): Option[StoredValue] =
    Option.unless(row.isNullAt(at))(StoredValue(row.getLong(at), StepQuery.scalar(row.get(at + 1))))
}
