package windrow.core.operator
package sessions

import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter, Codec, Key}
import windrow.core.time.{Bounds, Watermark}
import windrow.core.trigger.{PaneState, PaneStateCodec}

/** Panes of equal content in an inherited window.
  *
  * @param buffers
  *   buffers of those that count, the newest first
  * @param owed
  *   number of retractions that arrived before their panes
  */
private[core] final case class EqualPanes[B](buffers: List[B] = Nil, owed: Long = 0) {
  def add(buffer: B): EqualPanes[B] = if (owed > 0) copy(owed = owed - 1) else copy(buffers = buffer :: buffers)
  def retract: EqualPanes[B]        = if (buffers.isEmpty) copy(owed = owed + 1) else copy(buffers = buffers.tail)
  def isNothing: Boolean            = buffers.isEmpty && owed == 0
}

/** A window of a key that consists of panes of another operator (SEMANTICS R55).
  *
  * @param isPastOnTime
  *   whether the upstream operator has passed the window's on-time pane
  * @param panes
  *   by their content
  * @param paneState
  *   state of this operator's own panes, including whether it has passed its on-time pane
  * @param sum
  *   value of all panes that count, if it was computed in this step. It is recomputed after a retraction, because an
  *   aggregation cannot be inverted.
  */
private[core] final case class InheritedWindow[B](
    start: Long,
    end: Long,
    isPastOnTime: Boolean,
    panes: Map[Key, EqualPanes[B]],
    paneState: PaneState[B],
    sum: Option[B] = None) {
  def bounds: Bounds = Bounds(start, end)

  /** Whether all panes were retracted. */
  def isEmpty: Boolean = panes.values.forall(_.buffers.isEmpty)

  def value(aggregation: Aggregation[B, _]): B =
    sum.getOrElse(panes.valuesIterator.flatMap(_.buffers).foldLeft(aggregation.zero)(aggregation.combine))

  def isComplete(at: Watermark): Boolean = isPastOnTime && at.reached(end)
}

private[core] final class InheritedCodec[B](aggregation: Aggregation[B, _]) extends Codec[InheritedWindow[B]] {
  private val paneStates = new PaneStateCodec(aggregation)

  def write(window: InheritedWindow[B], out: ByteWriter): Unit = {
    out.long(window.start)
    out.long(window.end)
    out.byte(if (window.isPastOnTime) 1 else 0)
    out.count(window.panes.size.toLong)
    window.panes.foreach { case (content, equal) =>
      out.bytes(content.bytes)
      out.count(equal.owed)
      out.count(equal.buffers.size.toLong)
      equal.buffers.foreach(aggregation.write(_, out))
    }
    paneStates.write(window.paneState, out)
  }

  def read(in: ByteReader): InheritedWindow[B] = {
    val (start, end, isPast) = (in.long(), in.long(), in.byte() == 1)
    val panes = Seq.fill(in.size()) {
      val content = new Key(in.bytes())
      val owed    = in.count()
      content -> EqualPanes(List.fill(in.size())(aggregation.read(in)), owed)
    }
    InheritedWindow(start, end, isPast, panes.toMap, paneStates.read(in))
  }
}
