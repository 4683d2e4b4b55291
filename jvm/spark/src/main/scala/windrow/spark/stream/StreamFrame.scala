package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.DataType
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputSchema
import windrow.spark.query.Answer
import windrow.spark.query.OfFullState
import windrow.spark.query.StateDescriptor

/** What an operator over one stream finds around it.
  *
  * @param hasOffsets
  *   messages have an identity
  * @param timeType
  *   of the column of the event time
  * @param shards
  *   into how many keys are hashed, unless it needs all in one
  * @param answer
  *   what the questions of a lookup stream get
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
    answer: Option[Answer[OfFullState]]) {

  /** All of a batch is there at once, so nothing is early in it. */
  val isStreaming: Boolean = parts.child.isStreaming

  /** For those who look into the checkpoint; of a batch there is none. */
  def descriptor(holds: => StateDescriptor.Windowed): Option[StateDescriptor] =
    Option.when(isStreaming)(StateDescriptor.of(options.name, shards, parts, timeType, holds))
}
