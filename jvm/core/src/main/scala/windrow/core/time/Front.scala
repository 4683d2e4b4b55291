package windrow.core.time

/** The progress of an axis: all positions below `at` have been passed. It never decreases. A [[Watermark]] is the front
  * of event time; on the axes of positions the front is the next position.
  *
  * @param at
  *   [[Position.Least]] before the first position, [[Position.Greatest]] at the end of a bounded input
  * @param left
  *   windows that end at or before this position were already removed under a shorter lateness (SEMANTICS S2)
  */
final case class Front[A <: Axis](at: Long, left: Long = Position.Least) {

  /** Whether the front has reached a position; false for every position before the first. */
  def reached(position: Long): Boolean = at >= position && at != Position.Least

  /** Whether something is due; see [[Due]]. */
  def isDue(from: Long): Boolean = from == Due.AtOnce || reached(from)

  /** Whether a window that ends at this position is closed: the front has passed its end by the lateness. */
  def reached(end: Long, lateness: Distance[A]): Boolean =
    reached(lateness.after(end)) || (end <= left && left != Position.Least)

  /** The end up to which all windows are closed; [[Position.Least]] if none is. */
  def leaves(lateness: Distance[A]): Long =
    if (!isDefined || lateness.isEndless) left
    else if (isEnd) Position.Greatest
    else math.max(left, lateness.before(at))

  /** The front of a consumer that is behind by this distance. */
  def behind(lag: Distance[A]): Front[A] = if (!isDefined || isEnd) this else copy(at = Position.minus(at, lag.value))

  def max(other: Front[A]): Front[A] = Front(math.max(at, other.at), math.max(left, other.left))
  def isDefined: Boolean             = at != Position.Least

  /** Whether the front is at the end of a bounded input. */
  def isEnd: Boolean = at == Position.Greatest

  /** The watermark in microseconds. */
  def micros(implicit isTime: A =:= Axis.Time): Long = at

  /** The watermark in microseconds; None before the first and at the end of a bounded input. */
  def instant(implicit isTime: A =:= Axis.Time): Option[Long] = Option.when(isDefined && !isEnd)(at)
}

object Front {

  /** The front before the first position. */
  def none[A <: Axis]: Front[A] = Front(Position.Least)

  /** The front at the end of a bounded input. */
  def end[A <: Axis]: Front[A] = Front(Position.Greatest)

  /** The front after a position and all earlier ones. A position never becomes the end. */
  def past[A <: Axis](position: Position[A]): Front[A] = Front(math.min(position.next.value, Position.Greatest - 1))
}

object Watermark {
  val None: Watermark = Front.none
  val End: Watermark  = Front.end

  def apply(micros: Long, left: Long = Position.Least): Watermark = Front(micros, left)
}
