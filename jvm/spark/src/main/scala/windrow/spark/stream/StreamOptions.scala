package windrow.spark.stream

import windrow.InvalidMessages
import windrow.TimeSpan
import windrow.spark.output.OutputKind

/** What is said of a stream and of its query, beside the operator; but for what its table argument says.
  *
  * @param time
  *   name of the event-time column, unless the table argument marks the expression
  * @param gap
  *   name of the column that holds a message's session gap
  * @param origin
  *   names of the columns that hold a message's source, partition and offset
  * @param watermark
  *   set by windrow; None if the input has one already
  * @param behind
  *   the watermark is the processing time less this, and none of Spark's
  * @param name
  *   of the stream
  * @param invalid
  *   what becomes of messages that say no event time that can be used
  * @param indexed
  *   columns by which kept messages are asked for; none: by the key
  */
final case class StreamOptions(
    time: Option[String],
    gap: Option[String],
    origin: Map[String, String],
    watermark: Option[TimeSpan],
    behind: Option[TimeSpan],
    name: String,
    output: OutputKind,
    indexed: Seq[String] = Nil,
    invalid: InvalidMessages = InvalidMessages.Reject)
