package windrow.core.operator

import windrow.core.window.EventTime

/** How far event time has come, in microseconds. It never falls; [[Watermark.None]] before the first. */
final case class Watermark(micros: Long) extends AnyVal {

  /** The watermark has reached a time. None has reached no time. */
  def reached(time: Long): Boolean = micros >= time && micros != Long.MinValue

  /** The watermark has reached a time and the lateness after it. */
  def reached(time: Long, lateness: Long): Boolean = reached(EventTime.plus(time, lateness))

  def max(other: Watermark): Watermark = if (other.micros > micros) other else this
  def isDefined: Boolean               = micros != Long.MinValue

  /** In microseconds; not before the first and not at the end of time. */
  def instant: Option[Long] = Option.when(isDefined && this != Watermark.End)(micros)
}

object Watermark {
  val None: Watermark = Watermark(Long.MinValue)

  /** Past everything: the end of a bounded input. */
  val End: Watermark = Watermark(Long.MaxValue)
}
