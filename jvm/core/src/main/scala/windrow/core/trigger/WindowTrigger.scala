package windrow.core.trigger

import windrow._

/** When a window fires beside its completion, as decisions on what is unsent (SEMANTICS R14-R16). Processing time in
  * microseconds.
  */
private[windrow] final class WindowTrigger(early: PaneTrigger, late: PaneTrigger) {
  private val earlyParts = WindowTrigger.parts(early)
  private val lateParts  = WindowTrigger.parts(late)

  private def of(isComplete: Boolean): Seq[PaneTrigger] = if (isComplete) lateParts else earlyParts

  /** Fire now, with the message that was just applied?
    *
    * @param unsent
    *   messages since the last pane, this one included
    */
  def afterMessage(isComplete: Boolean, unsent: Long): Boolean = of(isComplete).exists {
    case EachMessage => true
    case Every(n)    => unsent >= n
    case _           => false
  }

  /** A window may fire with a message. */
  def looksAtMessages(isComplete: Boolean): Boolean = of(isComplete).exists {
    case EachMessage | Every(_) => true
    case _                      => false
  }

  /** Fire at the end of the step?
    *
    * @param since
    *   processing time of the first unsent message
    * @param now
    *   processing time of the step
    * @param isChanged
    *   by the step: another trigger may have left messages unsent in those before
    */
  def atStepEnd(
      isComplete: Boolean,
      unsent: Long,
      since: Option[Long],
      now: Option[Long],
      isChanged: Boolean): Boolean =
    unsent > 0 && of(isComplete).exists {
      case EachBatch => isChanged
      case EveryPeriod(period) => since.zip(now).exists { case (from, to) =>
          to >= WindowTrigger.due(from, period)
        }
      case _ => false
    }

  /** Windows that a message reached are looked at when the step ends. */
  def waitsForStepEnd(isComplete: Boolean): Boolean = of(isComplete).contains(EachBatch)

  /** Something may fire at the end of a step. */
  def mayFireAtStepEnd(isComplete: Boolean): Boolean = of(isComplete).exists {
    case EachBatch | EveryPeriod(_) => true
    case _                          => false
  }

  /** Some windows fire by processing time. */
  val hasPeriods: Boolean = (earlyParts ++ lateParts).exists(_.isInstanceOf[EveryPeriod])

  /** The periods of incomplete windows, then those of complete ones; in microseconds. */
  def periods: Seq[Seq[Long]] =
    Seq(earlyParts, lateParts).map(_.collect { case EveryPeriod(period) => period.micros })

  /** The processing time at which a period ends, if nothing happens before. */
  def deadline(isComplete: Boolean, since: Option[Long]): Option[Long] = since.flatMap(from =>
    of(isComplete).collect { case EveryPeriod(period) => WindowTrigger.due(from, period) }.minOption)
}

private[windrow] object WindowTrigger {

  def parts(trigger: PaneTrigger): Seq[PaneTrigger] = trigger match {
    case AnyOf(triggers) => triggers.flatMap(parts)
    case one             => Seq(one)
  }

  /** The next multiple of the period since the epoch. */
  def due(since: Long, period: TimeSpan): Long = (Math.floorDiv(since, period.micros) + 1) * period.micros
}
