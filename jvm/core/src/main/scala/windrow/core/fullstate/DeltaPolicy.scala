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

  /** When a period that a message begins may end. */
  def deadlines(processingTime: Option[Long]): Seq[Long] =
    Seq(false, true).flatMap(firing.deadline(_, processingTime)).distinct
}

private object DeltaPolicy {
  def byStep(trigger: PaneTrigger): PaneTrigger = trigger match {
    case EachMessage     => EachStep
    case AnyOf(triggers) => AnyOf(triggers.map(byStep))
    case other           => other
  }
}
