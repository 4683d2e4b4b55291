package windrow.core.time

/** How far an axis has come: all positions below `at` have been passed. It never falls. A [[Watermark]] is that of event
  * time; on the axes of positions it is the one that comes next.
  *
  * @param at
  *   [[Position.Least]] before the first, [[Position.Greatest]] at the end of a bounded input
  * @param left
  *   windows that end here or before have left already, under a lateness that was shorter (SEMANTICS S2)
  */
final case class Front[A <: Axis](at: Long, left: Long = Position.Least) {

  /** It has reached a position. What has not begun has reached none. */
  def reached(position: Long): Boolean = at >= position && at != Position.Least

  /** Something is due; see [[Due]]. */
  def isDue(from: Long): Boolean = from == Due.AtOnce || reached(from)

  /** A window that ends at this position has left: the axis has reached it and the lateness after it. */
  def reached(end: Long, lateness: Distance[A]): Boolean =
    reached(lateness.after(end)) || (end <= left && left != Position.Least)

  /** Windows that end here or before have left; [[Position.Least]] if none has. */
  def leaves(lateness: Distance[A]): Long =
    if (!isDefined || lateness.isEndless) left
    else if (isEnd) Position.Greatest
    else math.max(left, lateness.before(at))

  /** As far as it has come for those who stay so far behind it. */
  def behind(lag: Distance[A]): Front[A] = if (!isDefined || isEnd) this else copy(at = Position.minus(at, lag.value))

  def max(other: Front[A]): Front[A] = Front(math.max(at, other.at), math.max(left, other.left))
  def isDefined: Boolean             = at != Position.Least

  /** Past everything: the end of a bounded input. */
  def isEnd: Boolean = at == Position.Greatest

  /** In microseconds, of event time. */
  def micros(implicit isTime: A =:= Axis.Time): Long = at

  /** In microseconds; not before the first and not at the end of time. */
  def instant(implicit isTime: A =:= Axis.Time): Option[Long] = Option.when(isDefined && !isEnd)(at)
}

object Front {

  /** Nothing has come yet. */
  def none[A <: Axis]: Front[A] = Front(Position.Least)

  /** Past everything: the end of a bounded input. */
  def end[A <: Axis]: Front[A] = Front(Position.Greatest)

  /** A position has come, and all before it. No position is the end. */
  def past[A <: Axis](position: Position[A]): Front[A] = Front(math.min(position.next.value, Position.Greatest - 1))
}

object Watermark {
  val None: Watermark = Front.none
  val End: Watermark  = Front.end

  def apply(micros: Long, left: Long = Position.Least): Watermark = Front(micros, left)
}
