package windrow.core.fullstate

import windrow._
import windrow.core.trigger.Firing
import windrow.core.trigger.FiringPolicy

/** When the windows of a full-state operator fire: at the end of a step, but after every n messages where that is asked
  * for (SEMANTICS R15).
  */
private[fullstate] final class DeltaPolicy(spec: FullStateSpec) {
  private val firing = new FiringPolicy(DeltaPolicy.byStep(spec.early), DeltaPolicy.byStep(spec.late))

  def firesWith(isComplete: Boolean, unsent: Long): Boolean = firing.afterMessage(isComplete, unsent)

  def firesAtStepEnd(isComplete: Boolean, row: Firing[_], now: Option[Long]): Boolean =
    firing.atStepEnd(isComplete, row.unsent, row.since, now)

  /** When the period ends for which its messages wait, if they do. */
  def deadline(isComplete: Boolean, row: Firing[_]): Option[Long] =
    if (row.unsent > 0) firing.deadline(isComplete, row.since) else None
}

private object DeltaPolicy {
  def byStep(trigger: PaneTrigger): PaneTrigger = trigger match {
    case EachMessage     => EachStep
    case AnyOf(triggers) => AnyOf(triggers.map(byStep))
    case other           => other
  }
}
