package windrow.core.trigger

import windrow.Timing
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.OwnedCodec
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec

/** What a window keeps of its panes.
  *
  * @param index
  *   of its next pane
  * @param unsent
  *   messages since its last pane
  * @param since
  *   processing time of the first of these, in microseconds; None before there is any
  * @param isPastOnTime
  *   it has fired ON_TIME, or was complete when its first message came (SEMANTICS R79)
  * @param delta
  *   DISCARDING: the unsent messages
  * @param shown
  *   its last pane, where that may have to be withdrawn or compared
  * @param last
  *   timing of its last pane
  * @param isTouched
  *   a message has come since the last pane, in the steps that are in memory; not in the state
  */
private[windrow] final case class PaneState[B](
    index: Long = 0,
    unsent: Long = 0,
    since: Option[Long] = None,
    isPastOnTime: Boolean = false,
    delta: Option[B] = None,
    shown: Option[Shown[B]] = None,
    last: Option[Timing] = None,
    isTouched: Boolean = false) {

  def map[C](change: B => C): PaneState[C] =
    copy(delta = delta.map(change), shown = shown.map(one => one.copy(buffer = change(one.buffer))))

  /** Before the first processing time, a period counts from the first that is seen (SEMANTICS R14). */
  def begun(processingTime: Option[Long]): PaneState[B] =
    if (unsent > 0 && since.isEmpty) copy(since = processingTime) else this
}

/** A pane that was fired; `buffer` is never changed. */
private[windrow] final case class Shown[B](timing: Timing, index: Long, isLast: Boolean, buffer: B)

/** @param buffers
  *   of panes, whose messages their window keeps
  * @param owned
  *   of what is unsent, which keeps its own
  */
private[windrow] final class PaneStateCodec[B] private (buffers: Codec[B], owned: Codec[B])
    extends Codec[PaneState[B]] {
  import PaneStateCodec._

  def this(buffers: Codec[B]) = this(buffers, buffers)

  def this(aggregation: Aggregation[B, _]) = this(aggregation, new OwnedCodec(aggregation))

  def write(paneState: PaneState[B], out: ByteWriter): Unit = write(paneState, out, isWhole = false)

  /** @param isWhole
    *   what the last pane showed is the whole value of the window, which is written elsewhere
    */
  def write(paneState: PaneState[B], out: ByteWriter, isWhole: Boolean): Unit = {
    out.byte(
      (if (paneState.since.isDefined) Since else 0) | (if (paneState.delta.isDefined) Delta else 0) |
        (if (paneState.shown.isDefined) HasShown else 0) | (if (isWhole) Whole else 0) |
        (if (paneState.isPastOnTime) PastOnTime else 0) |
        (paneState.last.fold(0)(_.code + 1) << LastTiming))
    out.count(paneState.index)
    out.count(paneState.unsent)
    paneState.since.foreach(out.long)
    paneState.delta.foreach(owned.write(_, out))
    paneState.shown.foreach { shown =>
      out.byte(shown.timing.code | (if (shown.isLast) IsLast else 0))
      out.count(shown.index)
      if (!isWhole) buffers.write(shown.buffer, out)
    }
  }

  def read(in: ByteReader): PaneState[B] =
    read(in, throw new IllegalStateException("the value of a window is stored nowhere"))

  /** @param whole
    *   the whole value of the window, of which nothing else makes use
    */
  def read(in: ByteReader, whole: => B): PaneState[B] = {
    val flags  = in.byte()
    val index  = in.count()
    val unsent = in.count()
    val since  = Option.when((flags & Since) != 0)(in.long())
    val delta  = Option.when((flags & Delta) != 0)(buffers.read(in))
    val shown = Option.when((flags & HasShown) != 0) {
      val form = in.byte()
      Shown(
        Timing((form & ~IsLast).toByte),
        in.count(),
        (form & IsLast) != 0,
        if ((flags & Whole) != 0) whole else buffers.read(in))
    }
    val timing = (flags >> LastTiming) & 3
    val last   = Option.when(timing > 0)(Timing((timing - 1).toByte))
    PaneState(index, unsent, since, (flags & PastOnTime) != 0, delta, shown, last)
  }
}

private object PaneStateCodec {
  private val Since      = 1
  private val Delta      = 2
  private val HasShown   = 4
  private val Whole      = 8
  private val PastOnTime = 16
  private val LastTiming = 5 // bits from there on: one more than its code
  private val IsLast     = 8
}
