package windrow.spark.stream

import windrow.explain.Clock
import windrow.spark.output.OutputKind
import windrow.spark.watermark.EventWatermark
import windrow.{InvalidMessages, TimeSpan}

/** The options of a stream and of its query, without the operator and without the information in the table argument.
  *
  * @param time
  *   the name of the event-time column, unless the table argument marks an expression
  * @param gap
  *   the name of the column with the session gap of each row
  * @param origin
  *   the names of the columns with the source, partition and offset of each row, and with the partition that has a
  *   watermark of its own (`watermark_by`)
  * @param watermark
  *   the watermark that Windrow sets; None if the input already has one
  * @param behind
  *   the delay of a watermark that is the processing time minus this, instead of Spark's watermark
  * @param name
  *   the name of the stream
  * @param invalid
  *   the handling of rows without a usable event time
  * @param indexed
  *   columns by which stored rows are queried; if empty, the key columns
  * @param isAccelerated
  *   whether the operator replaces one of Spark's, so that late rows count as Spark's dropped rows
  */
final case class StreamOptions(
    time: Option[String],
    gap: Option[String],
    origin: Map[String, String],
    watermark: Option[EventWatermark],
    behind: Option[TimeSpan],
    name: String,
    output: OutputKind,
    indexed: Seq[String] = Nil,
    invalid: InvalidMessages = InvalidMessages.Reject,
    isAccelerated: Boolean = false) {

  /** What moves the watermark, for explanations. */
  def clock: Clock = behind.map(Clock.ProcessingClock(_)).orElse(watermark.map(_.clock)).getOrElse(Clock.InputClock)
}
