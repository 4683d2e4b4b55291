package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.DataType
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputSchema
import windrow.spark.query.{Answer, FullStateReader, StateDescriptor}

/** The surroundings of an operator over one stream.
  *
  * @param hasOffsets
  *   whether rows have an identity
  * @param timeType
  *   the type of the event-time column
  * @param shards
  *   the number of shards into which keys are hashed, unless the operator needs all keys in one
  * @param answer
  *   answers the questions of a lookup stream
  */
private[spark] final case class StreamFrame(
    session: SparkSession,
    options: StreamOptions,
    parts: AggregateParts,
    hasOffsets: Boolean,
    timeType: DataType,
    shards: Int,
    schema: OutputSchema,
    fingerprint: QueryFingerprint,
    answer: Option[Answer[FullStateReader]]) {

  /** Whether the input is a stream. In a batch query all rows arrive at once, so no pane is early. */
  val isStreaming: Boolean = parts.child.isStreaming

  /** Returns the descriptor for readers of the checkpoint. A batch query has none. */
  def descriptor(holds: => StateDescriptor.StreamState): Option[StateDescriptor] =
    Option.when(isStreaming)(StateDescriptor.of(options.name, shards, parts, timeType, holds))
}
