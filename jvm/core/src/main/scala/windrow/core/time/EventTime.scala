package windrow.core.time

/** Times in microseconds since the epoch (SEMANTICS T1). */
private[windrow] object EventTime {

  /** Times are nearer to the epoch than this, some 146,000 years: they and windows of theirs can be added and compared. */
  val Limit: Long = 1L << 62

  /** Before all time; the start of a window that has none. */
  final val Min = Position.Least

  /** After all time; the end of a window that has none. */
  final val Max = Position.Greatest

  /** A message can stand there.
    *
    * @param gap
    *   of its session, not negative; 0: it makes none
    */
  def holds(time: Long, gap: Long = 0): Boolean = -Limit < time && time < Limit - gap

  /** It is after a time by more than a limit. */
  def isBeyond(time: Long, now: Long, limit: Long): Boolean = time > Position.plus(now, limit)
}
