package windrow.core.policy

import windrow.KeyLimits

/** Decides which partitions the limits evict (SEMANTICS R66). */
private[policy] final class LimitRules(limits: KeyLimits) {

  def isTooOld(touched: Long, now: Long): Boolean = limits.idle.exists(age => now - touched > age.micros)

  def deadline(partition: Partition[_]): Option[Long] = limits.idle.map(age => partition.touched + age.micros + 1)

  def isTooMuch(partitions: Long, messages: Long): Boolean =
    limits.maxKeys.exists(partitions > _) || limits.maxRows.exists(messages > _)
}
