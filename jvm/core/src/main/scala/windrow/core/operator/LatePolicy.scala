package windrow.core.operator

import windrow._

/** The late policy as decisions on the number of unsent messages of a window. */
private[operator] final class LatePolicy(trigger: PaneTrigger) {

  /** Fire now, with the message that was just applied? */
  def afterMessage(pending: Long): Boolean = trigger match {
    case EachMessage => true
    case Every(n)    => pending >= n
    case _           => false
  }

  /** Is a firing left to the end of the step? */
  val atStepEnd: Boolean = trigger == EachStep
}
