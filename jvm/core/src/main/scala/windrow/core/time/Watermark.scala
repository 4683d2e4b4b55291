package windrow.core.time

/** How far event time has come, in microseconds. It never falls; [[Watermark.None]] before the first.
  *
  * @param left
  *   windows that end here or before have left already, under a lateness that was shorter (SEMANTICS S2)
  */
final case class Watermark(micros: Long, left: Long = Long.MinValue) {

  /** The watermark has reached a time. None has reached no time. */
  def reached(time: Long): Boolean = micros >= time && micros != Long.MinValue

  /** A window that ends at this time has left: the watermark has reached it and the lateness after it. */
  def reached(end: Long, lateness: Long): Boolean =
    reached(EventTime.plus(end, lateness)) || (end <= left && left != Long.MinValue)

  /** Windows that end here or before have left; [[Long.MinValue]] if none has. */
  def leaves(lateness: Long): Long =
    if (!isDefined || lateness == Long.MaxValue) left
    else if (isEnd) Long.MaxValue
    else math.max(left, EventTime.plus(micros, -lateness))

  def max(other: Watermark): Watermark = Watermark(math.max(micros, other.micros), math.max(left, other.left))
  def isDefined: Boolean               = micros != Long.MinValue

  /** Past everything: the end of a bounded input. */
  def isEnd: Boolean = micros == Long.MaxValue

  /** In microseconds; not before the first and not at the end of time. */
  def instant: Option[Long] = Option.when(isDefined && !isEnd)(micros)
}

object Watermark {
  val None: Watermark = Watermark(Long.MinValue)

  /** Past everything: the end of a bounded input. */
  val End: Watermark = Watermark(Long.MaxValue)
}
