package windrow.core.fullstate

import windrow._
import windrow.core.trigger.PaneState
import windrow.core.trigger.WindowTrigger
import windrow.core.trigger.FiringRule
import windrow.core.trigger.Stage

/** When the windows of a full-state operator fire: at the end of a step, but after every n messages where that is asked
  * for (SEMANTICS R15).
  */
private[fullstate] final class DeltaPolicy(spec: FullStateSpec) {
  private val trigger = new WindowTrigger(DeltaPolicy.byStep(spec.early), DeltaPolicy.byStep(spec.late))
  private val rule    = new FiringRule(spec.onTime, trigger)

  /** Of incomplete windows, then of complete ones. */
  def periods: Seq[Seq[Long]] = trigger.periods

  /** @param completes
    *   the window is complete with the message, and was not before
    */
  def withMessage(isComplete: Boolean, completes: Boolean, unsent: Long): Option[Timing] =
    rule.withMessage(isComplete, isNew = false, completes, unsent)

  /** @param wasComplete
    *   before the step
    */
  def atStepEnd(stage: Stage, wasComplete: Boolean, row: PaneState[_], now: Option[Long]): Option[Timing] = {
    val owesFirst = stage.isComplete && !row.isPastOnTime
    if (row.unsent == 0) None
    else if (owesFirst && wasComplete && spec.onTime) Some(Timing.Late) // SEMANTICS R79
    else rule.atStepEnd(stage, owesFirst && !wasComplete, row, now, row.isTouched)
  }

  /** When the period ends for which its messages wait, if they do. */
  def deadline(isComplete: Boolean, row: PaneState[_]): Option[Long] =
    if (row.unsent > 0) trigger.deadline(isComplete, row.since) else None
}

private object DeltaPolicy {
  def byStep(trigger: PaneTrigger): PaneTrigger = trigger match {
    case EachMessage     => EachBatch
    case AnyOf(triggers) => AnyOf(triggers.map(byStep))
    case other           => other
  }
}
