package windrow.core.trigger

import windrow.Timing

/** How far a window has come. */
private[windrow] sealed abstract class Stage(val isComplete: Boolean, val isClosed: Boolean)

private[windrow] object Stage {

  /** Messages are on time. */
  case object Open extends Stage(isComplete = false, isClosed = false)

  /** It takes late messages. */
  case object Complete extends Stage(isComplete = true, isClosed = false)

  /** It takes no more; what is unsent comes out now or never. */
  case object Closed extends Stage(isComplete = true, isClosed = true)

  def apply(isComplete: Boolean, isClosed: Boolean): Stage =
    if (isClosed) Closed else if (isComplete) Complete else Open
}

/** Whether a window fires, and with which timing: the one place that knows, for windows of all kinds.
  *
  * A window is asked at two moments: when a message has reached it, and at the end of a step.
  *
  * @param onTime
  *   windows fire as they complete
  */
private[windrow] final class FiringRule(onTime: Boolean, policy: WindowTrigger) {

  /** The pane that a message brings.
    *
    * @param isComplete
    *   before the message
    * @param isNew
    *   the window has had no message before
    * @param completes
    *   the window is complete with this message, and was not before; not asked for where it does not matter
    * @param unsent
    *   messages since the last pane, this one included
    */
  def withMessage(isComplete: Boolean, isNew: Boolean, completes: => Boolean, unsent: Long): Option[Timing] = {
    val isFirst = isNew && isComplete && onTime && !policy.waitsForStepEnd(isComplete) // SEMANTICS R79
    Option.when(isFirst || (policy.afterMessage(isComplete, unsent) && !completes))(timing(isComplete)) // R15, R21
  }

  /** The pane at the end of a step.
    *
    * @param stage
    *   after the step
    * @param completes
    *   the window is complete since this step, and has not fired as such
    * @param now
    *   processing time of the step
    * @param isTouched
    *   a message has reached the window in the step
    */
  def atStepEnd(
      stage: Stage,
      completes: Boolean,
      paneState: PaneState[_],
      now: Option[Long],
      isTouched: Boolean): Option[Timing] =
    if (completes && onTime) Some(Timing.OnTime) // R16
    else if (policy.atStepEnd(stage.isComplete, paneState.unsent, paneState.since, now, isTouched || completes))
      Some(timing(stage.isComplete))
    else Option.when(stage.isClosed && paneState.unsent > 0)(Timing.Late) // R80

  private def timing(isComplete: Boolean): Timing = if (isComplete) Timing.Late else Timing.Early
}
