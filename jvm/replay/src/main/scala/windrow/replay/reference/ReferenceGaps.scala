package windrow.replay

import windrow.WindowOperatorSpec

/** The windows without messages that fire under `fillGaps` (SEMANTICS R3). */
private[windrow] final class ReferenceGaps(spec: WindowOperatorSpec, windows: ReferenceWindows) {

  /** Each key's first window, and its last one with messages. */
  private var reaches = Map.empty[Scalar, (Bounds, Bounds)]
  private var filled  = Map.empty[Scalar, Seq[Bounds]]

  def of(key: Scalar): Seq[Bounds] = filled.getOrElse(key, Nil)

  /** The first window that the key opened stays the first. */
  def reach(key: Scalar, window: Bounds): Unit = if (spec.fillGaps) {
    val (first, last) = reaches.getOrElse(key, (window, window))
    reaches += key -> ((first, Seq(last, window).max(Bounds.Order)))
  }

  /** Up to the watermark; of a key without messages up to its last window and the retention, at the end of the input up to
    * its last window.
    */
  def fill(progress: ReferenceProgress): Unit = windows match {
    case fixed: ReferenceWindows.Fixed =>
      for ((key, (first, last)) <- reaches; watermark <- progress.watermark) {
        val size = last.end - last.start
        val kept = spec.retention.time.fold(Bounds.plus(size, spec.lateness.micros))(_.micros)
        val end  = if (progress.isOver) last.end else math.min(watermark, Bounds.plus(last.end, kept))
        filled += key -> (of(key) ++ fixed.between(first, Bounds(end - size, end))).distinct
      }
    case _ => ()
  }
}
