package windrow.replay

import windrow.{TimeSpan, WindowOperatorSpec}

/** The windows without messages that exist under `fillGaps` (SEMANTICS R3). */
private[windrow] final class ReferenceGaps(spec: WindowOperatorSpec, windows: ReferenceWindows) {

  /** The windows with messages of each key. */
  private var reached = Map.empty[Scalar, Set[Bounds]]

  /** The windows without messages of each key that have ended. */
  private var filled = Map.empty[Scalar, Seq[Bounds]]

  def of(key: Scalar): Seq[Bounds] = filled.getOrElse(key, Nil)

  def reach(key: Scalar, window: Bounds): Unit =
    if (spec.fillGaps != TimeSpan.Zero) reached += key -> (reached.getOrElse(key, Set.empty) + window)

  /** Adds the windows that exist from now on. A window exists if it ends within the maximal silence after an earlier
    * window with messages. At the end of the input, a later window must also have messages.
    *
    * @return
    *   the windows that exist from this step on
    */
  def fill(progress: ReferenceProgress): Seq[(Scalar, Bounds)] = windows match {
    case aligned: ReferenceWindows.Aligned =>
      for {
        (key, had) <- reached.toSeq
        watermark  <- progress.watermark.toSeq
        last  = had.max(Bounds.Order)
        until = if (progress.isOver) last.end else watermark
        known = had ++ of(key)
        gap <- had.toSeq.flatMap(window =>
          aligned.after(window).takeWhile(gap =>
            gap.end <= until && (spec.fillGaps == TimeSpan.Endless ||
              gap.end <= Bounds.plus(window.end, spec.fillGaps.micros)))).distinct.filterNot(known)
      } yield {
        filled += key -> (of(key) :+ gap)
        (key, gap)
      }
    case _ => Nil
  }
}
