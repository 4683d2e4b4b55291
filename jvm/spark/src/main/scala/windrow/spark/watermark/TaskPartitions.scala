package windrow.spark.watermark

import java.util
import org.apache.spark.TaskContext
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.CollectionAccumulator
import windrow.spark.rows.SourceName

/** Collects the greatest event time of each partition in the rows of a task, and adds them to an accumulator when the
  * task ends.
  */
final class TaskPartitions(to: CollectionAccumulator[util.Map.Entry[String, java.lang.Long]]) {
  private final class GreatestTime(val partition: UTF8String, var millis: Long)

  private val all  = new util.HashMap[UTF8String, GreatestTime]
  private var last = new GreatestTime(null, Long.MaxValue)

  Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => end()))

  /** Adds a row. Rows of a partition often follow one another, so the last partition is compared first.
    *
    * @param partition
    *   the partition as text, in memory that the next row may use; null is a partition like any other
    */
  def see(partition: UTF8String, millis: Long): Unit = {
    if (all.isEmpty || !util.Objects.equals(partition, last.partition)) {
      last = all.get(partition)
      if (last == null) last = add(if (partition == null) null else partition.copy(), millis)
    }
    if (millis > last.millis) last.millis = millis
  }

  private def add(partition: UTF8String, millis: Long): GreatestTime = {
    EventWatermark.checkPartitions(all.size + 1)
    val one = new GreatestTime(partition, millis)
    all.put(partition, one)
    one
  }

  private[watermark] def end(): Unit = all.values.forEach { one =>
    to.add(new util.AbstractMap.SimpleImmutableEntry(
      if (one.partition == null) null else SourceName.of(one.partition),
      one.millis))
  }
}
