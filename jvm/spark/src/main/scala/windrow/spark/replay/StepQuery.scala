package windrow.spark.replay

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.Column
import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.windrow.QueryClock
import scala.collection.mutable
import windrow.Reason
import windrow.SourceWindows
import windrow.Timing
import windrow.WindowKind
import windrow.testkit._

/** A row of the input: a message, or a watermark for the step after this one.
  *
  * @param key
  *   of any type, as JSON
  * @param time
  *   event time in microseconds
  * @param number
  *   the value, if values are numbers
  * @param text
  *   the value, if they are texts
  * @param mark
  *   watermark in milliseconds; None in a message
  */
final case class InputRow(
    key: Option[String],
    time: Option[Long],
    number: Option[Long],
    text: Option[String],
    partition: Option[Int],
    offset: Option[Long],
    gap: Option[Long],
    mark: Option[Long])

/** A streaming query that is driven step by step: the watermark that one batch brings rules the next. */
private[replay] abstract class StepQuery(
    session: SparkSession,
    transcript: TranscriptCase,
    window: WindowKind,
    checkpoint: String)
    extends Stepped {
  private implicit val spark: SparkSession     = session
  private implicit val rows: Encoder[InputRow] = Encoders.product[InputRow]

  private val feeds = transcript.steps.collect { case feed: Step.Feed => feed }
  private val clock =
    new QueryClock(feeds.flatMap(_.processingTime).headOption.fold(System.currentTimeMillis)(_ / 1000 - 1))
  private val input       = MemoryStream[InputRow]
  private val collected   = mutable.ArrayBuffer.empty[Row]
  private val counted     = mutable.HashMap.empty[String, Long].withDefaultValue(0L)
  private lazy val output = flattened(operator())
  private var query       = Option.empty[StreamingQuery]

  protected final def isStarted: Boolean = query.isDefined

  /** What panes hold, as columns below `panes`. */
  protected def contents: Seq[Column]

  /** The same from a row in which they begin at a place. */
  protected def content(row: Row, at: Int): Content

  /** Of a message as [[StepQuery.shown]] shows it. */
  protected final def overMessage(row: Row): OverMessage = OverMessage(
    row.getLong(10),
    StepQuery.scalar(row.get(11)),
    Option.unless(row.isNullAt(12))(row.getInt(12)),
    Option.unless(row.isNullAt(13))(row.getLong(13)))

  /** @param messages
    *   key, time, value, partition, offset, gap
    * @param marked
    *   columns by what they are of a message
    */
  protected def operator(messages: DataFrame, marked: Seq[(String, String)]): DataFrame

  /** Runs the operator of the transcript.
    *
    * @param stream
    *   of the spec's JSON
    */
  protected final def applied(table: DataFrame, stream: ObjectNode => Unit = _ => ()): DataFrame = {
    val name = s"windrow_replay_${input.id}"
    table.createOrReplaceTempView(name)
    val node = transcript.specJson.deepCopy()
    node.remove("aggregates")
    node.put("time_unit", transcript.timeUnit.name).put("output", "all")
    stream(node.putObject("stream"))
    session.sql(
      s"SELECT * FROM windrow_apply(TABLE(SELECT * FROM $name), spec => :spec)",
      Map("spec" -> node.toString))
  }

  def step(messages: Seq[Message], mark: Long, next: Long, processingTime: Option[Long] = None): Emission = {
    if (query.isEmpty) {
      query = Some(start())
      run(Seq(watermarkRow(mark)))
    }
    clock.moveTo(processingTime.fold(0L)(_ / 1000))
    collected.clear()
    run(watermarkRow(next) +: messages.map(StepQuery.row))
    Emission(
      collected.toSeq.filter(_.getString(0) == "panes").map(pane),
      collected.toSeq.filter(_.getString(0) != "panes").map(rejected))
  }

  def restart(): Unit = query.foreach { running =>
    running.stop()
    query = Some(start())
  }

  def counters: Map[String, Long] = counted.toMap + ("filtered" -> 0L)

  def close(): Unit = query.foreach(_.stop())

  private def watermarkRow(mark: Long) = InputRow(None, None, None, None, None, None, None, Some(mark))

  private def run(batch: Seq[InputRow]): Unit = {
    input.addData(batch)
    query.get.processAllAvailable()
    Option(query.get.lastProgress.observedMetrics.get("windrow_messages")).foreach { counts =>
      Seq("accepted", "rejected", "replays", "gaps").foreach(name => counted(name) += counts.getAs[Long](name))
    }
  }

  private def start(): StreamingQuery = {
    val started = output.writeStream.option("checkpointLocation", checkpoint)
      .foreachBatch { (batch: DataFrame, _: Long) =>
        collected ++= batch.collect()
        ()
      }.start()
    clock.rule(started)
    started
  }

  private def operator(): DataFrame = {
    val hasTexts = feeds.flatMap(_.messages).exists(_.value.isInstanceOf[Value.Text])
    val messages = input.toDF()
      .withColumn("clock", timestamp_millis(col("mark"))).withWatermark("clock", "0 seconds")
      .where("clock is null") // names the watermark's column, so that Spark leaves it above the watermark
      .withColumn("time", timestamp_micros(col("time")))
      .withColumn("value", col(if (hasTexts) "text" else "number"))
    val hasOffsets =
      window.isInstanceOf[SourceWindows] || feeds.exists(_.messages.exists(_.identity.isDefined))
    operator(
      messages,
      Seq("time" -> "time") ++
        Option.when(window == windrow.Session.OfMessage)("gap" -> "gap") ++
        (if (hasOffsets) Seq("partition" -> "partition", "offset" -> "offset") else Nil))
  }

  /** kind, key, start, end, timing, index, is_last, is_retraction, reason; key, time, value, partition, offset of the
    * message; aggregates…
    */
  private def flattened(output: DataFrame): DataFrame = {
    val panes  = output.schema("panes").dataType.asInstanceOf[StructType]
    val bounds = panes("window").dataType.asInstanceOf[StructType]
    val message = if (panes.fieldNames.contains("message")) coalesce(col("rejected.message"), col("panes.message"))
    else col("rejected.message")
    output.select(
      Seq(col("kind"), col("panes.key")) ++
        bounds.takeRight(2).map { field =>
          val bound = col(s"panes.window.${field.name}")
          if (field.dataType == TimestampType) unix_micros(bound) else bound
        } ++
        Seq("timing", "index", "is_last", "is_retraction").map(name => col(s"panes.pane.$name")) ++
        Seq(
          col("rejected.reason"),
          message("key"),
          unix_micros(message("time")),
          message("value"),
          message("partition"),
          message("offset")) ++
        contents: _*)
  }

  private def pane(row: Row): Emission.ContentPane = {
    def bound(at: Int, otherwise: Long) = if (row.isNullAt(at)) otherwise else row.getLong(at)
    windrow.Pane(
      StepQuery.key(row.getString(1)),
      bound(2, Emission.Everywhere._1),
      bound(3, Emission.Everywhere._2),
      StepQuery.timing(row.getString(4)),
      row.getLong(5),
      row.getBoolean(6),
      row.getBoolean(7),
      content(row, 14))
  }

  private def rejected(row: Row): RejectedMessage = RejectedMessage(
    StepQuery.key(row.getString(9)),
    Option.unless(row.isNullAt(10))(row.getLong(10)),
    StepQuery.scalar(row.get(11)),
    StepQuery.reason(row.getString(8)))
}

private object StepQuery {

  /** The aggregates of transcripts are Spark's. */
  def aggregate(function: String) = function match {
    case "count"   => count(lit(1))
    case "collect" => collect_list("value")
    case name      => call_function(name, col("value"))
  }

  def row(message: Message): InputRow = InputRow(
    Some(message.key.toJson.toString),
    message.time,
    Option(message.value).collect { case Value.Whole(number) => number },
    Option(message.value).collect { case Value.Text(text) => text },
    message.partition,
    message.offset,
    message.gap,
    None)

  def key(cell: String): Scalar = Scalar.fromJson(mapper.readTree(cell)).get

  def scalar(cell: Any): Scalar = value(cell) match {
    case scalar: Scalar => scalar
    case other          => throw new IllegalStateException(s"$other is no value of a message")
  }

  def value(cell: Any): Value = cell match {
    case null                           => Value.Null
    case whole: Long                    => Value.Whole(whole)
    case text: String                   => Value.Text(text)
    case real: Double                   => Value.Real(real)
    case items: scala.collection.Seq[_] => Value.Items(items.map(value).toSeq)
    case other                          => throw new IllegalStateException(s"no transcript has such a value: $other")
  }

  def timing(text: String): Timing =
    Timing.All.find(_.toString == text).get

  def reason(text: String): Reason =
    Reason.All.find(_.toString == text).get

  private val mapper = new ObjectMapper()
}
