package windrow.core.trigger

import windrow._

/** Decides when a window fires in addition to its completion, based on its unsent messages (SEMANTICS R14-R16).
  * Processing time is in microseconds.
  */
private[windrow] final class WindowTrigger(early: PaneTrigger, late: PaneTrigger) {
  private val earlyParts = WindowTrigger.parts(early)
  private val lateParts  = WindowTrigger.parts(late)

  private def of(isComplete: Boolean): Seq[PaneTrigger] = if (isComplete) lateParts else earlyParts

  /** Whether to fire now, after the message that was just applied.
    *
    * @param unsent
    *   number of messages since the last pane, including this one
    */
  def afterMessage(isComplete: Boolean, unsent: Long): Boolean = of(isComplete).exists {
    case EachMessage => true
    case Every(n)    => unsent >= n
    case _           => false
  }

  /** Whether a window may fire after a message. */
  def looksAtMessages(isComplete: Boolean): Boolean = of(isComplete).exists {
    case EachMessage | Every(_) => true
    case _                      => false
  }

  /** Whether to fire at the end of the step.
    *
    * @param since
    *   processing time of the first unsent message
    * @param now
    *   processing time of the step
    * @param isChanged
    *   whether the step has changed the window; unsent messages may also remain from earlier steps
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

  /** Whether windows that received a message are checked at the end of the step. */
  def waitsForStepEnd(isComplete: Boolean): Boolean = of(isComplete).contains(EachBatch)

  /** Whether a window may fire at the end of a step. */
  def mayFireAtStepEnd(isComplete: Boolean): Boolean = of(isComplete).exists {
    case EachBatch | EveryPeriod(_) => true
    case _                          => false
  }

  /** Whether any window fires by processing time. */
  val hasPeriods: Boolean = (earlyParts ++ lateParts).exists(_.isInstanceOf[EveryPeriod])

  /** The periods of incomplete windows, then those of complete windows, in microseconds. */
  def periods: Seq[Seq[Long]] =
    Seq(earlyParts, lateParts).map(_.collect { case EveryPeriod(period) => period.micros })

  /** The processing time at which the next period ends. */
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
