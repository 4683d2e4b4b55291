package windrow.spark.replay

import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, SparkSession}
import windrow.replay._
import windrow.spark.input.WatermarkCheck
import windrow.spark.{MemoryStream, RowId}

/** A row of the source: an input row, or the watermark of the following step.
  *
  * @param key
  *   a key of any type, as JSON
  * @param time
  *   the event time in microseconds
  * @param number
  *   the value, if values are numbers
  * @param text
  *   the value, if values are strings
  * @param marker
  *   whether the row is a marker of policy windows
  * @param pane
  *   the pane, for `Inherit` windows
  * @param mark
  *   the watermark in milliseconds; None for an input row
  */
final case class InputRow(
    stream: Option[String] = None,
    key: Option[String] = None,
    time: Option[Long] = None,
    number: Option[Long] = None,
    text: Option[String] = None,
    partition: Option[Int] = None,
    offset: Option[Long] = None,
    gap: Option[Long] = None,
    marker: Boolean = false,
    pane: Option[InputPane] = None,
    mark: Option[Long] = None)

/** The pane that a row contains. Times are in microseconds. */
final case class InputPane(start: Long, end: Long, timing: String, isRetraction: Boolean)

private[replay] object InputRow {
  def of(message: Message): InputRow = InputRow(
    message.stream,
    Some(key(message.key)),
    message.time,
    Option(message.value).collect { case Value.Whole(number) => number },
    Option(message.value).collect { case Value.Text(text) => text },
    message.partition,
    message.offset,
    message.gap,
    message.marker,
    message.pane.map(pane => InputPane(pane.start, pane.end, pane.timing.toString, pane.isRetraction)))

  def watermark(millis: Long): InputRow = InputRow(mark = Some(millis))

  def key(key: Scalar): String = key.toJson.toString
}

/** The input of a transcript's query. All streams share one source, so that a step is one micro-batch. Each stream has
  * its own watermark.
  *
  * @param isGuarded
  *   whether Windrow sets the watermark itself, so that it can guard it; the watermark of the case is then added
  *   separately (see `marked`)
  * @param passed
  *   transforms every table at the input and the output
  */
private[replay] final class StepInput(
    session: SparkSession,
    transcript: TranscriptCase,
    isGuarded: Boolean,
    passed: DataFrame => DataFrame) {
  private implicit val spark: SparkSession     = session
  private implicit val rows: Encoder[InputRow] = Encoders.product[InputRow]

  private val source   = MemoryStream[InputRow]
  private val messages = transcript.steps.collect { case feed: Step.Feed => feed.messages }.flatten
  private val arePanes = TranscriptCase.windowKind(transcript.specJson) == "inherit"
  private val hasTexts = messages.exists(_.value.isInstanceOf[Value.Text])

  val rowId: Option[RowId] = Option.when(messages.exists(_.identity.isDefined))(StepInput.Identity)

  def add(rows: Seq[InputRow]): Unit = {
    source.addData(rows)
    ()
  }

  /** Returns the input rows, or those of one stream: key (as JSON), time, value, partition, offset, gap, marker; for
    * panes also window and pane.
    */
  def table(stream: Option[String] = None): DataFrame = {
    val some = stream.fold(lit(true))(col("stream") === _)
    // A condition that names the watermark's column cannot be pushed down below the watermark, not even in part.
    val all =
      if (isGuarded) source.toDF().where(col("mark").isNull && some) else clocked.where(when(col("clock").isNull, some))
    passed(all.select(Seq(
      col("key"),
      timestamp_micros(col("time")).as("time"),
      col(if (hasTexts) "text" else "number").as("value"),
      col("partition"),
      col("offset"),
      col("gap"),
      col("marker")) ++ (if (arePanes) StepInput.Pane else Nil): _*))
  }

  /** Makes a query follow the watermark of the case, even if none of its tables has it. */
  def marked(output: DataFrame): DataFrame =
    if (!isGuarded) passed(output)
    else passed(output).unionByName(
      clocked.where("clock < '1900-01-01'").select("clock"),
      allowMissingColumns = true).drop("clock")

  private def clocked =
    source.toDF().withColumn("clock", timestamp_millis(col("mark")).as("clock", StepInput.Clock))
      .withWatermark("clock", "0 seconds")

  val name: String = s"windrow_replay_${source.id}"
}

private[replay] object StepInput {
  private val Clock = new MetadataBuilder().putBoolean(WatermarkCheck.Announced, true).build()

  private val Pane = Seq(
    struct(
      timestamp_micros(col("pane.start")).as("start"),
      timestamp_micros(col("pane.end")).as("end")).as("window"),
    struct(col("pane.timing"), lit(0L).as("index"), col("pane.isRetraction").as("is_retraction")).as("pane"))

  val Identity: RowId = RowId(lit("messages"), "partition", "offset")
}
