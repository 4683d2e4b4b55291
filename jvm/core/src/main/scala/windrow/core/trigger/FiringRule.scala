package windrow.core.trigger

import windrow.Timing

/** The stage of a window, by the watermark. */
private[windrow] sealed abstract class Stage(val isComplete: Boolean, val isClosed: Boolean)

private[windrow] object Stage {

  /** Messages are on time. */
  case object Open extends Stage(isComplete = false, isClosed = false)

  /** The window accepts late messages. */
  case object Complete extends Stage(isComplete = true, isClosed = false)

  /** The window accepts no messages; unsent ones are emitted now or never. */
  case object Closed extends Stage(isComplete = true, isClosed = true)

  def apply(isComplete: Boolean, isClosed: Boolean): Stage =
    if (isClosed) Closed else if (isComplete) Complete else Open
}

/** Decides whether a window emits a pane, and its timing, when the window has a row. Panes of gaps and first panes of
  * full state choose `LATE` themselves (`GapPanes`, `GridPanes`, `DeltaPolicy`), and `InheritAlgorithm` uses the timing
  * of the incoming pane.
  *
  * A window is checked at two moments: when a message has arrived in it, and at the end of a step.
  *
  * @param onTime
  *   whether windows fire when they are complete
  */
private[windrow] final class FiringRule(onTime: Boolean, policy: WindowTrigger) {

  /** Returns the timing of the pane that a message fires, or None if it fires none.
    *
    * @param isComplete
    *   whether the window was complete before the message
    * @param isNew
    *   whether this is the window's first message
    * @param completes
    *   whether the message completes the window; only evaluated if it matters
    * @param unsent
    *   number of messages since the last pane, including this one
    */
  def withMessage(isComplete: Boolean, isNew: Boolean, completes: => Boolean, unsent: Long): Option[Timing] = {
    val isFirst = isNew && isComplete && onTime && !policy.waitsForStepEnd(isComplete) // SEMANTICS R79
    Option.when(isFirst || (policy.afterMessage(isComplete, unsent) && !completes))(timing(isComplete)) // R15, R21
  }

  /** Returns the timing of the pane at the end of a step, or None if there is none.
    *
    * @param stage
    *   stage after the step
    * @param completes
    *   whether the window became complete in this step and has not fired for it
    * @param now
    *   processing time of the step
    * @param isTouched
    *   whether a message has arrived in the window in the step
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
