package windrow.spark.standalone

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import windrow.operators.Rejected
import windrow.spark.output.OutputColumns

/** Converts rejected rows to a table. For an operator with several streams, `message` is a struct with one field for
  * each.
  */
final class RejectedTable(inputs: IndexedSeq[Input]) {
  private val stream    = OutputTable.value("stream", StringType, nullable = false)
  private val reason    = OutputTable.value("reason", StringType, nullable = false)
  private val watermark = OutputTable.value("watermark", LongType)
  private val time      = OutputTable.value("processing_time", LongType)
  private val messages  = inputs.map(input => OutputTable.value(input.name, input.schema, nullable = inputs.size > 1))

  private val table = new OutputTable(
    Seq(stream, reason, watermark, time) ++ messages,
    Seq(
      stream,
      reason,
      Alias(OutputColumns.instant(watermark, TimestampType), "watermark")(),
      Alias(OutputColumns.instant(time, TimestampType), "processing_time")(),
      Alias(
        if (inputs.size == 1) messages.head else OutputColumns.structOf(messages.map(one => one.name -> one): _*),
        "message")()))

  def write(refused: Seq[Rejected[Message]]): Array[Byte] = table.write(refused.iterator.map { one =>
    val row = inputs.indices.map(stream => if (stream == one.message.stream) one.message.row else null)
    (Seq[Any](
      OutputTable.text(inputs(one.message.stream).name),
      OutputTable.text(one.reason),
      one.watermark.map(Long.box).orNull,
      one.processingTime.map(Long.box).orNull) ++ row).toArray
  })
}
