package windrow.core.policy

import windrow.PartitionLimits
import windrow.core.state.Key

/** @param touched
  *   processing time of its last message, in microseconds
  * @param turn
  *   of its last message among those of all partitions
  */
final case class PartitionSize(touched: Long, turn: Long, messages: Long)

/** Which partitions must leave (SEMANTICS R66). */
private[policy] final class LimitRules(limits: PartitionLimits) {

  def isTooOld(touched: Long, now: Long): Boolean = limits.age.exists(age => now - touched > age.micros)

  def deadline(partition: Partition[_]): Option[Long] = limits.age.map(age => partition.touched + age.micros + 1)

  /** Those that are too many, in order: the one whose last message is oldest first, empty ones before the others. */
  def surplus(partitions: Map[Key, PartitionSize]): Seq[Key] = {
    val all = partitions.toSeq.sortBy { case (_, size) => (size.messages > 0, size.turn) }
    val left = all.scanLeft((all.size.toLong, all.map(_._2.messages).sum)) {
      case ((keys, messages), (_, size)) => (keys - 1, messages - size.messages)
    }
    all.zip(left).takeWhile { case (_, (keys, messages)) =>
      limits.keys.exists(keys > _) || limits.messages.exists(messages > _)
    }.map(_._1._1)
  }
}
