package windrow.spark.arguments

import windrow.InvalidMessages
import windrow.spark.output.OutputKind
import windrow.spark.stream.StreamOptions
import windrow.spark.watermark.EventWatermark

/** Reads the SQL arguments that describe the stream and the requested output. They are the same for all operators. */
private[spark] object StreamArguments {
  private val Origin = Seq("source", "partition", "offset", "watermark_by")

  /** Settings of a watermark of event time, without its delay and the column of its partitions. */
  val Watermark: Seq[String] = Seq("idle", "watermark_partitions")

  val Names: Seq[String] =
    Seq("stream", "output", "time", "watermark", "processing_time_watermark", "invalid") ++ Watermark ++ Origin

  /** Reads the options of a stream.
    *
    * @param gap
    *   the name of the column with the session gap of each row
    * @param indexed
    *   columns by which stored rows are queried
    * @param outputs
    *   the outputs of the operator, the default first
    */
  def read(
      reader: ArgumentReader,
      gap: Option[String] = None,
      indexed: Seq[String] = Nil,
      outputs: Seq[OutputKind] = OutputKind.OfStream): StreamOptions =
    StreamOptions(
      reader.nameIfSet("time"),
      gap,
      Origin.flatMap(name => reader.nameIfSet(name).map(name -> _)).toMap,
      watermark(reader),
      reader.delayIfSet("processing_time_watermark"),
      reader.nameIfSet("stream").getOrElse("messages"),
      reader.wordIfSet("output", outputs).getOrElse(outputs.head),
      indexed,
      invalid(reader))

  def watermark(reader: ArgumentReader): Option[EventWatermark] = {
    val (found, watermark) = EventWatermark.of(
      reader.delayIfSet("watermark"),
      reader.spanIfSet("idle"),
      reader.isSet("watermark_by"),
      reader.countIfSet("watermark_partitions"))
    found.foreach(reader.refuse[Nothing](_))
    watermark
  }

  def invalid(reader: ArgumentReader): InvalidMessages =
    reader.wordIfSet("invalid", InvalidMessages.All).getOrElse(InvalidMessages.Reject)
}
