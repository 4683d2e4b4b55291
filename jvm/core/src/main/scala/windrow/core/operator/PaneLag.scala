package windrow.core.operator

import windrow.CloseOn
import windrow.TimeSpan
import windrow.WindowKind
import windrow.WindowOperatorSpec
import windrow.core.time.Axis
import windrow.core.time.Distance

/** How far times in the panes of windows may lie behind the watermark of the operator (SEMANTICS R95). Corrections for late
  * messages do not count: they are late for the next operator, too.
  */
private[windrow] object PaneLag {

  /** The end of the window, or its last instant. A window that is not fired on time, or that only a message completes, may
    * have its first pane at the end of its lateness.
    */
  def ofEnd(spec: WindowOperatorSpec): Distance[Axis.Time] = {
    val window = spec.window
    val waits  = !spec.onTime || (spec.closeOn == CloseOn.NextRow && window.hasFixedEnd)
    if (!window.bounds.areTimes || window.holdsEverything) Distance.endless
    else if (waits) spec.latenessInTime
    else Distance.none
  }

  /** A time between the start of the window and its end. */
  def inside(window: WindowKind, ofEnd: Distance[Axis.Time]): Distance[Axis.Time] =
    ofEnd + window.longest.fold(Distance.endless[Axis.Time])((span: TimeSpan) => new Distance(span.micros))
}
