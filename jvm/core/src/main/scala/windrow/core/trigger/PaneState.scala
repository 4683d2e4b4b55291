package windrow.core.trigger

import windrow.Timing
import windrow.core.aggregate.{Aggregation, OwnedCodec}
import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** The state that a window keeps about its panes.
  *
  * @param index
  *   index of its next pane
  * @param unsent
  *   number of messages since its last pane
  * @param since
  *   processing time of the first of these, in microseconds; None before the first processing time
  * @param isPastOnTime
  *   whether it has fired ON_TIME, or was complete when its first message arrived (SEMANTICS R79)
  * @param delta
  *   the unsent messages, in mode DISCARDING
  * @param shown
  *   its last pane, if that may have to be withdrawn or compared
  * @param last
  *   timing of its last pane
  * @param isTouched
  *   whether a message has arrived since the last pane; not stored
  */
private[windrow] final case class PaneState[B](
    index: Long = 0,
    unsent: Long = 0,
    since: Option[Long] = None,
    isPastOnTime: Boolean = false,
    delta: Option[B] = None,
    shown: Option[ShownPane[B]] = None,
    last: Option[Timing] = None,
    isTouched: Boolean = false) {

  def map[C](change: B => C): PaneState[C] =
    copy(delta = delta.map(change), shown = shown.map(one => one.copy(buffer = change(one.buffer))))

  /** The state with a started period if that waited for the first processing time (SEMANTICS R14). */
  def begun(processingTime: Option[Long]): PaneState[B] =
    if (unsent > 0 && since.isEmpty) copy(since = processingTime) else this
}

/** A fired pane; `buffer` must not be changed.
  *
  * @param value
  *   the shown value as bytes, if it is not that of the buffer (SEMANTICS R120)
  */
private[windrow] final case class ShownPane[B](
    timing: Timing,
    index: Long,
    isLast: Boolean,
    buffer: B,
    value: Option[Array[Byte]] = None)

/** Writes and reads pane states.
  *
  * @param buffers
  *   codec of shown panes, whose messages the window keeps
  * @param owned
  *   codec of unsent messages, which the pane state keeps itself
  */
private[windrow] final class PaneStateCodec[B] private (buffers: Codec[B], owned: Codec[B])
    extends Codec[PaneState[B]] {
  import PaneStateCodec._

  def this(buffers: Codec[B]) = this(buffers, buffers)

  def this(aggregation: Aggregation[B, _]) = this(aggregation, new OwnedCodec(aggregation))

  def write(paneState: PaneState[B], out: ByteWriter): Unit = write(paneState, out, isWhole = false)

  /** @param isWhole
    *   whether the last pane shows the complete value of the window, which is written elsewhere
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
      out.byte(
        shown.timing.code | (if (shown.isLast) IsLast else 0) | (if (shown.value.isDefined) HasValue else 0))
      out.count(shown.index)
      if (!isWhole) buffers.write(shown.buffer, out)
      shown.value.foreach(out.bytes)
    }
  }

  def read(in: ByteReader): PaneState[B] =
    read(in, throw new IllegalStateException("the value of a window is stored nowhere"))

  /** @param whole
    *   the complete value of the window; ownership passes to the result
    */
  def read(in: ByteReader, whole: => B): PaneState[B] = {
    val flags  = in.byte()
    val index  = in.count()
    val unsent = in.count()
    val since  = Option.when((flags & Since) != 0)(in.long())
    val delta  = Option.when((flags & Delta) != 0)(buffers.read(in))
    val shown = Option.when((flags & HasShown) != 0) {
      val form = in.byte()
      ShownPane(
        Timing((form & ~(IsLast | HasValue)).toByte),
        in.count(),
        (form & IsLast) != 0,
        if ((flags & Whole) != 0) whole else buffers.read(in),
        Option.when((form & HasValue) != 0)(in.bytes()))
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
  private val LastTiming = 5 // the bits from here on hold its code plus 1, or 0 for None
  private val IsLast     = 8
  private val HasValue   = 16
}
