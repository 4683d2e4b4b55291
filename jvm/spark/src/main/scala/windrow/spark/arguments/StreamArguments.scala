package windrow.spark.arguments

import windrow.InvalidMessages
import windrow.spark.output.OutputKind
import windrow.spark.stream.StreamOptions

/** What SQL says of a stream and of the output that is wanted, whatever the operator. */
private[spark] object StreamArguments {
  private val Origin = Seq("source" -> "source", "partition" -> "partition", "offset" -> "offset")

  val Names: Seq[String] =
    Seq("stream", "output", "time", "watermark", "processing_time_watermark", "invalid") ++ Origin.map(_._1)

  /** @param gap
    *   name of the column that holds a message's session gap
    * @param indexed
    *   columns by which kept messages are asked for
    */
  def read(said: ArgumentReader, gap: Option[String] = None, indexed: Seq[String] = Nil): StreamOptions =
    StreamOptions(
      said.nameIfSaid("time"),
      gap,
      Origin.flatMap { case (argument, part) => said.nameIfSaid(argument).map(part -> _) }.toMap,
      said.delayIfSaid("watermark"),
      said.delayIfSaid("processing_time_watermark"),
      said.nameIfSaid("stream").getOrElse("messages"),
      said.wordIfSaid("output", "VALUE_UNKNOWN", OutputKind.OfStream).getOrElse(OutputKind.Panes),
      indexed,
      invalid(said))

  def invalid(said: ArgumentReader): InvalidMessages =
    said.wordIfSaid("invalid", "VALUE_UNKNOWN", InvalidMessages.All).getOrElse(InvalidMessages.Reject)
}
