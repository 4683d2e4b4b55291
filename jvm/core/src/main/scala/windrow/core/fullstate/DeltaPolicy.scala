package windrow.core.fullstate

import windrow._
import windrow.core.trigger.{FiringRule, PaneState, Stage, WindowTrigger}

/** Decides when the windows of a full-state operator fire: at the end of a step, or after every n messages for triggers
  * that count messages (SEMANTICS R15).
  */
private[fullstate] final class DeltaPolicy(spec: FullStateSpec) {
  private val trigger = new WindowTrigger(DeltaPolicy.byStep(spec.early), DeltaPolicy.byStep(spec.late))
  private val rule    = new FiringRule(spec.onTime, trigger)

  /** The periods of incomplete windows, then those of complete windows. */
  def periods: Seq[Seq[Long]] = trigger.periods

  /** @param completes
    *   whether the message completes the window
    */
  def withMessage(isComplete: Boolean, completes: Boolean, unsent: Long): Option[Timing] =
    rule.withMessage(isComplete, isNew = false, completes, unsent)

  /** @param wasComplete
    *   whether the window was complete before the step
    */
  def atStepEnd(stage: Stage, wasComplete: Boolean, row: PaneState[_], now: Option[Long]): Option[Timing] = {
    val owesFirst = stage.isComplete && !row.isPastOnTime
    if (row.unsent == 0) None
    else if (owesFirst && wasComplete && spec.onTime) Some(Timing.Late) // SEMANTICS R79
    else rule.atStepEnd(stage, owesFirst && !wasComplete, row, now, row.isTouched)
  }

  /** The end of the period for which its messages wait; None if they do not wait. */
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
