package windrow.spark.watermark

import java.util.UUID
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}
import scala.util.Try

/** The settings that decide about the watermark of an input besides its delay. Spark's watermark node has no place for
  * it, so it is stored in the metadata of the column with the watermark.
  *
  * @param idle
  *   the processing time, in milliseconds, after which a silent input or partition no longer counts
  * @param partitions
  *   the number of expected partitions, if each has a watermark of its own
  * @param input
  *   the input, if [[PartitionTimes]] collects the times of its partitions
  */
private[spark] final case class WatermarkRule(
    idle: Option[Long] = None,
    partitions: Option[Long] = None,
    input: Option[UUID] = None) {

  /** Returns the progress of an input with this rule when a run begins. */
  def start(delay: Long, began: Long): InputProgress = InputProgress(delay, idle, partitions.getOrElse(1), began)

  def metadata: Metadata = {
    val builder = new MetadataBuilder()
    idle.foreach(builder.putLong(WatermarkRule.Idle, _))
    partitions.foreach(builder.putLong(WatermarkRule.Partitions, _))
    input.foreach(id => builder.putString(WatermarkRule.Input, id.toString))
    builder.build()
  }
}

private[spark] object WatermarkRule {
  private val Idle       = "windrow.watermark.idle"
  private val Partitions = "windrow.watermark.partitions"
  private val Input      = "windrow.watermark.input"

  def of(watermark: EventWatermark): WatermarkRule = WatermarkRule(
    watermark.idle.map(span => -Math.floorDiv(-span.micros, 1000L)),
    watermark.partitions,
    watermark.partitions.map(_ => UUID.randomUUID))

  def of(column: Attribute): WatermarkRule = {
    val metadata = column.metadata
    WatermarkRule(
      Try(metadata.getLong(Idle)).toOption,
      Try(metadata.getLong(Partitions)).toOption,
      Try(metadata.getString(Input)).toOption.map(UUID.fromString))
  }
}
