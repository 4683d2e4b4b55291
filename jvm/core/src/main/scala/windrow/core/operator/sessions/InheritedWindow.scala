package windrow.core.operator
package sessions

import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter, Codec, Segments}
import windrow.core.time.{Bounds, Watermark}
import windrow.core.trigger.{PaneState, PaneStateCodec}

/** A window of a key that consists of panes of another operator (SEMANTICS R55).
  *
  * @param isPastOnTime
  *   whether the upstream operator has passed the window's on-time pane
  * @param panes
  *   by their content; mutable
  * @param paneState
  *   state of this operator's own panes, including whether it has passed its on-time pane
  */
private[core] final case class InheritedWindow[B](
    start: Long,
    end: Long,
    isPastOnTime: Boolean,
    panes: HeldPanes[B],
    paneState: PaneState[B]) {
  def bounds: Bounds = Bounds(start, end)

  def isComplete(at: Watermark): Boolean = isPastOnTime && at.reached(end)
}

/** Writes and reads a window.
  *
  * @param segments
  *   store of panes that are not stored inside their window
  * @param pageBytes
  *   size in bytes of their pages, which is small because the panes of a step are in different pages
  */
private[core] final class InheritedCodec[B](
    aggregation: Aggregation[B, _],
    segments: Segments,
    pageBytes: Int = 1024) extends Codec[InheritedWindow[B]] {
  private val paneStates = new PaneStateCodec(aggregation)
  private val paged      = new PaneLayout(aggregation)

  /** Whether the buffer of the last pane is made of [[HeldPanes]]. */
  private val isHeld = aggregation.storage.isDefined

  def created(start: Long, end: Long): InheritedWindow[B] =
    InheritedWindow(start, end, isPastOnTime = false, noPanes, PaneState())

  private def noPanes = new HeldPanes(aggregation, paged, segments, pageBytes)

  def write(window: InheritedWindow[B], out: ByteWriter): Unit = {
    out.long(window.start)
    out.long(window.end)
    out.byte(if (window.isPastOnTime) 1 else 0)
    window.panes.write(out)
    paneStates.write(window.paneState, out, isWhole = isHeld)
  }

  def read(in: ByteReader): InheritedWindow[B] = {
    val (start, end, isPast) = (in.long(), in.long(), in.byte() == 1)
    val panes                = noPanes
    panes.read(in)
    InheritedWindow(start, end, isPast, panes, paneStates.read(in, aggregation.zero))
  }
}
