package windrow.core.time

/** Times in microseconds since the epoch (SEMANTICS T1). */
private[windrow] object EventTime {

  /** Distance from the epoch, about 146,000 years, below which all times must be, so that they and their windows can be
    * added and compared.
    */
  val Limit: Long = 1L << 62

  /** Before all times; the start of an unbounded window. */
  final val Min = Position.Least

  /** After all times; the end of an unbounded window. */
  final val Max = Position.Greatest

  /** Whether a message can have this time.
    *
    * @param gap
    *   gap of its session, not negative; 0 without a session
    */
  def holds(time: Long, gap: Long = 0): Boolean = -Limit < time && time < Limit - gap

  /** Whether a time is after another one by more than a limit. */
  def isBeyond(time: Long, now: Long, limit: Long): Boolean = time > Position.plus(now, limit)
}
