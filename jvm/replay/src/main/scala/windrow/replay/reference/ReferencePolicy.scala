package windrow.replay

import windrow._

/** When a window fires beside its completion (SEMANTICS R14, R15); times in microseconds of processing time. */
private[windrow] object ReferencePolicy {

  /** @param unsent
    *   messages since its last pane, the one that has just come included
    */
  def firesAtMessage(trigger: PaneTrigger, unsent: Long): Boolean = trigger match {
    case EachMessage     => true
    case Every(n)        => unsent >= n
    case AnyOf(triggers) => triggers.exists(firesAtMessage(_, unsent))
    case _               => false
  }

  /** @param since
    *   when the first unsent message came
    */
  def firesAtStepEnd(trigger: PaneTrigger, since: Option[Long], now: Option[Long]): Boolean = trigger match {
    case EachBatch => true
    case EveryPeriod(period) =>
      val due = since.map(from => (Math.floorDiv(from, period.micros) + 1) * period.micros)
      due.zip(now).exists { case (due, now) => now >= due }
    case AnyOf(triggers) => triggers.exists(firesAtStepEnd(_, since, now))
    case _               => false
  }

  /** What comes with a message is left to the end of its step. */
  def waitsForStepEnd(trigger: PaneTrigger): Boolean = trigger match {
    case EachBatch       => true
    case AnyOf(triggers) => triggers.exists(waitsForStepEnd)
    case _               => false
  }
}
