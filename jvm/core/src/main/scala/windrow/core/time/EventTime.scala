package windrow.core.time

/** Arithmetic of times in microseconds that passes no limit of 64 bits (SEMANTICS T1). */
private[windrow] object EventTime {

  /** Times are nearer to the epoch than this, some 146,000 years: they and windows of theirs can be added and compared. */
  val Limit: Long = 1L << 62

  /** A message can stand there.
    *
    * @param gap
    *   of its session, not negative; 0: it makes none
    */
  def holds(time: Long, gap: Long = 0): Boolean = -Limit < time && time < Limit - gap

  /** Sums beyond 64 bits stand at its limits. */
  def plus(a: Long, b: Long): Long = {
    val sum = a + b
    if (((a ^ sum) & (b ^ sum)) < 0) (if (a < 0) Long.MinValue else Long.MaxValue) else sum
  }

  /** It is after a time by more than a limit. */
  def isBeyond(time: Long, now: Long, limit: Long): Boolean = time > plus(now, limit)
}
