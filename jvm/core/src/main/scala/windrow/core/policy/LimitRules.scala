package windrow.core.policy

import windrow.PartitionLimits
import windrow.core.state.Key

/** @param touched
  *   processing time of its last message, in microseconds
  */
final case class PartitionSize(touched: Long, messages: Long)

/** Which partitions must leave (SEMANTICS R66). */
private[policy] final class LimitRules(limits: PartitionLimits) {

  /** Limits that concern all partitions together; they have the whole shard read for every message. */
  val areShared: Boolean = limits.keys.isDefined || limits.messages.isDefined

  def isTooOld(touched: Long, now: Long): Boolean = limits.age.exists(age => now - touched > age.micros)

  def deadline(partition: Partition[_]): Option[Long] = limits.age.map(age => partition.touched + age.micros + 1)

  /** Those that must leave, in order: oldest first, empty ones before the others. */
  def surplus(partitions: Map[Key, PartitionSize], now: Long): Seq[Key] = {
    val (old, young) = partitions.toSeq
      .sortBy { case (key, size) => (size.messages > 0, size.touched, key.toString) }
      .partition { case (_, size) => isTooOld(size.touched, now) }
    val left = young.scanLeft((young.size.toLong, young.map(_._2.messages).sum)) {
      case ((keys, messages), (_, size)) => (keys - 1, messages - size.messages)
    }
    val shared = young.zip(left).takeWhile { case (_, (keys, messages)) =>
      limits.keys.exists(keys > _) || limits.messages.exists(messages > _)
    }
    (old ++ shared.map(_._1)).map(_._1)
  }
}
