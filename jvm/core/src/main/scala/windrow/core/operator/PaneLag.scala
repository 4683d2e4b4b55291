package windrow.core.operator

import windrow.core.time.{Axis, Distance}
import windrow.{CloseOn, TimeSpan, WindowFamily, WindowKind, WindowOperatorSpec}

/** Computes how far times in the panes of windows can be behind the operator's watermark (SEMANTICS R95). Corrections
  * for late messages are excluded, because the next operator treats them as late, too.
  */
private[windrow] object PaneLag {

  /** The lag of the window's end, or of its last instant. A window that does not fire on time, or that only a message
    * completes, may have its first pane at the end of its lateness.
    */
  def ofEnd(spec: WindowOperatorSpec): Distance[Axis.Time] = {
    val window = spec.window
    val waits  = !spec.onTime || (spec.closeOn == CloseOn.NextRow && window.hasFixedEnd)
    if (!window.bounds.areTimes || window.holdsEverything) Distance.endless
    else if (waits) spec.latenessInTime
    else window.family match {
      case _: WindowFamily.Several => spec.named.map { case (_, own) => ofEnd(own) }.maxBy(_.value)
      // A late message can end a session that waits for its gap, and then completes it at once.
      case WindowFamily.CutSessions(gap, _, _, _) =>
        spec.latenessInTime + gap.fold(Distance.endless[Axis.Time])(of => new Distance(of.micros))
      case _ => spec.gapValues.filter(_.isLinear).flatMap(_.atMost).fold(Distance.none[Axis.Time])(wait =>
          new Distance(wait.micros))
    }
  }

  /** The lag of a time between the window's start and end. */
  def inside(window: WindowKind, ofEnd: Distance[Axis.Time]): Distance[Axis.Time] =
    ofEnd + window.longest.fold(Distance.endless[Axis.Time])((span: TimeSpan) => new Distance(span.micros))
}
