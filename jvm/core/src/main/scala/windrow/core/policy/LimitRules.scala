package windrow.core.policy

import windrow.PartitionLimits

/** Which partitions must leave (SEMANTICS R66). */
private[policy] final class LimitRules(limits: PartitionLimits) {

  def isTooOld(touched: Long, now: Long): Boolean = limits.age.exists(age => now - touched > age.micros)

  def deadline(partition: Partition[_]): Option[Long] = limits.age.map(age => partition.touched + age.micros + 1)

  def isTooMuch(partitions: Long, messages: Long): Boolean =
    limits.keys.exists(partitions > _) || limits.messages.exists(messages > _)
}
