package windrow.core.operator

import windrow._

/** When a window fires beside its completion, as decisions on what is unsent (SEMANTICS R14-R16). Processing time in
  * microseconds.
  */
private[windrow] final class FiringPolicy(early: PaneTrigger, late: PaneTrigger) {

  /** Fire now, with the message that was just applied?
    *
    * @param unsent
    *   messages since the last pane, this one included
    */
  def afterMessage(isComplete: Boolean, unsent: Long): Boolean = any(isComplete) {
    case EachMessage => true
    case Every(n)    => unsent >= n
    case _           => false
  }

  /** Fire at the end of the step?
    *
    * @param since
    *   processing time of the first unsent message
    * @param now
    *   processing time of the step
    */
  def atStepEnd(isComplete: Boolean, unsent: Long, since: Option[Long], now: Option[Long]): Boolean =
    unsent > 0 && any(isComplete) {
      case EachStep            => true
      case EveryPeriod(period) => since.zip(now).exists { case (from, to) => to >= FiringPolicy.due(from, period) }
      case _                   => false
    }

  /** The processing time at which a period ends, if nothing happens before. */
  def deadline(isComplete: Boolean, since: Option[Long]): Option[Long] =
    since.flatMap(from =>
      parts(of(isComplete)).collect { case EveryPeriod(period) => FiringPolicy.due(from, period) }.minOption)

  /** Windows are left to the end of the step they are touched in. */
  def waitsForStepEnd(isComplete: Boolean): Boolean = any(isComplete) {
    case EachStep | EveryPeriod(_) => true
    case _                         => false
  }

  private def of(isComplete: Boolean): PaneTrigger = if (isComplete) late else early

  private def any(isComplete: Boolean)(says: PaneTrigger => Boolean): Boolean = parts(of(isComplete)).exists(says)

  private def parts(trigger: PaneTrigger): Seq[PaneTrigger] = trigger match {
    case AnyOf(triggers) => triggers.flatMap(parts)
    case one             => Seq(one)
  }
}

private[windrow] object FiringPolicy {

  /** The next multiple of the period since the epoch. */
  def due(since: Long, period: TimeSpan): Long = (Math.floorDiv(since, period.micros) + 1) * period.micros
}
