package windrow.spark.arguments

import windrow.InvalidMessages
import windrow.spark.output.OutputKind
import windrow.spark.stream.StreamOptions

/** Reads the SQL arguments that describe the stream and the requested output. They are the same for all operators. */
private[spark] object StreamArguments {
  private val Origin = Seq("source" -> "source", "partition" -> "partition", "offset" -> "offset")

  val Names: Seq[String] =
    Seq("stream", "output", "time", "watermark", "processing_time_watermark", "invalid") ++ Origin.map(_._1)

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
      Origin.flatMap { case (argument, part) => reader.nameIfSet(argument).map(part -> _) }.toMap,
      reader.delayIfSet("watermark"),
      reader.delayIfSet("processing_time_watermark"),
      reader.nameIfSet("stream").getOrElse("messages"),
      reader.wordIfSet("output", "VALUE_UNKNOWN", outputs).getOrElse(outputs.head),
      indexed,
      invalid(reader))

  def invalid(reader: ArgumentReader): InvalidMessages =
    reader.wordIfSet("invalid", "VALUE_UNKNOWN", InvalidMessages.All).getOrElse(InvalidMessages.Reject)
}
