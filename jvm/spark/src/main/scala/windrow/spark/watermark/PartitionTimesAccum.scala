package windrow.spark.watermark

import java.util
import java.util.UUID
import org.apache.spark.util.{AccumulatorV2, CollectionAccumulator}

/** The greatest event time of each partition that a task has read. */
private[spark] final class PartitionTimesAccum(input: UUID, run: RunProgress)
    extends CollectionAccumulator[util.Map.Entry[String, java.lang.Long]] {

  override def merge(
      other: AccumulatorV2[util.Map.Entry[String, java.lang.Long], util.List[util.Map.Entry[String, java.lang.Long]]])
      : Unit = other.value.forEach(time => run.see(input, time.getKey, time.getValue))
}
