package windrow.replay

import windrow._

/** Decides when a window fires other than at its completion (SEMANTICS R14, R15). Times are microseconds of processing
  * time.
  */
private[windrow] object ReferencePolicy {

  /** @param unsent
    *   number of messages since its last pane, including the current one
    */
  def firesAtMessage(trigger: PaneTrigger, unsent: Long): Boolean = trigger match {
    case EachMessage     => true
    case Every(n)        => unsent >= n
    case AnyOf(triggers) => triggers.exists(firesAtMessage(_, unsent))
    case _               => false
  }

  /** @param since
    *   when the first unsent message arrived
    */
  def firesAtStepEnd(trigger: PaneTrigger, since: Option[Long], now: Option[Long]): Boolean = trigger match {
    case EachBatch => true
    case EveryPeriod(period) =>
      val due = since.map(from => (Math.floorDiv(from, period.micros) + 1) * period.micros)
      due.zip(now).exists { case (due, now) => now >= due }
    case AnyOf(triggers) => triggers.exists(firesAtStepEnd(_, since, now))
    case _               => false
  }

  /** Whether updates by a message wait for the end of its step. */
  def waitsForStepEnd(trigger: PaneTrigger): Boolean = trigger match {
    case EachBatch       => true
    case AnyOf(triggers) => triggers.exists(waitsForStepEnd)
    case _               => false
  }
}
