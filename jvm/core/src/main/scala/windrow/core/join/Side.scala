package windrow.core.join

import windrow.WindowFamily
import windrow.core.grid.SliceGrid
import windrow.core.store.StoredMessage
import windrow.core.time.{Axis, Distance, Due, EventTime, Position}

/** A closed range of event time in microseconds. */
private[join] final case class Span(low: Long, high: Long) {
  def hull(other: Span): Span    = Span(math.min(low, other.low), math.max(high, other.high))
  def holds(time: Long): Boolean = low <= time && time <= high
}

private[join] object Span {
  val Everything: Span = Span(EventTime.Min, EventTime.Max)
}

/** The window of one side of a join, as the other side sees it (SEMANTICS R36). Times are in microseconds. */
private[join] sealed trait Side {

  /** Whether this side's window for a partner contains a message of this side. */
  def contains(own: StoredMessage, partner: StoredMessage): Boolean

  /** Returns the event times of this side's window for a partner; None if the window does not exist. */
  def timesInWindowAt(partnerTime: Long): Option[Span]

  /** Returns the event times of partners whose window contains a message of this side. */
  def partnerTimesOf(time: Long): Option[Span]

  /** The watermark from which on a message of this time is late. */
  def tooLateFrom(time: Long, lateness: Distance[Axis.Time]): Long

  def inGap(time: Long): Boolean = false

  /** Whether its windows end in event time. */
  def endsInTime: Boolean = true

  /** The last time of a span at which this side accepts messages. */
  def lastIn(span: Span): Option[Long] = Some(span.high)
}

private[join] object Side {

  /** Creates the side of a window. The last two parameters matter only for windows on offsets.
    *
    * @param own
    *   this side's start offset of each partition
    * @param partners
    *   the partner's start offset of each partition
    */
  def apply(window: WindowFamily.SideFamily, own: Map[Long, Long], partners: Map[Long, Long]): Side = window match {
    case aligned: WindowFamily.Aligned                                    => new AlignedSide(aligned.grid)
    case WindowFamily.MessageWindowsByTime(range)                         => new OverSide(range.micros)
    case WindowFamily.OffsetGrid(n, step)                                 => new OffsetSide(n, step, own, partners)
    case WindowFamily.SingleWindow | WindowFamily.MessageWindowsFromFirst => UnboundedSide
  }
}

/** Windows of event time with the same bounds for all keys. */
private[join] final class AlignedSide(grid: SliceGrid[Axis.Time]) extends Side {
  def contains(own: StoredMessage, partner: StoredMessage): Boolean =
    timesInWindowAt(partner.time).exists(_.holds(own.time))

  def timesInWindowAt(partnerTime: Long): Option[Span] =
    Option.when(!grid.inGap(partnerTime))(
      Span(grid.firstStart(partnerTime), grid.bounds(grid.lastStart(partnerTime)).last))

  /** Returns the same times, because both messages are in the same windows. */
  def partnerTimesOf(time: Long): Option[Span] = timesInWindowAt(time)

  def tooLateFrom(time: Long, lateness: Distance[Axis.Time]): Long = lateness.after(grid.end(grid.lastStart(time)))

  override def inGap(time: Long): Boolean = grid.inGap(time)

  override def lastIn(span: Span): Option[Long] =
    if (!inGap(span.high)) Some(span.high)
    else Some(grid.bounds(grid.lastStart(span.high)).last).filter(_ >= span.low)
}

/** A range of event time up to the partner's time. */
private[join] final class OverSide(range: Long) extends Side {
  def contains(own: StoredMessage, partner: StoredMessage): Boolean =
    timesInWindowAt(partner.time).exists(_.holds(own.time))
  def timesInWindowAt(partnerTime: Long): Option[Span] = Some(Span(Position.minus(partnerTime, range), partnerTime))
  def partnerTimesOf(time: Long): Option[Span]         = Some(Span(time, Position.plus(time, range)))
  def tooLateFrom(time: Long, lateness: Distance[Axis.Time]): Long = Position.plus(lateness.after(time), 1)
}

/** Windows on offsets, aligned with the partner's by the difference of the start offsets. Only retention bounds them in
  * time.
  */
private[join] final class OffsetSide(n: Long, step: Long, own: Map[Long, Long], partners: Map[Long, Long])
    extends Side {

  def contains(message: StoredMessage, partner: StoredMessage): Boolean =
    message.origin.zip(partner.origin).exists { case (mine, theirs) =>
      val at = theirs.offset - start(partners, theirs.partition.number)
      val my = mine.offset - start(own, mine.partition.number)
      mine.partition.number == theirs.partition.number && at >= 0 && my >= 0 && share(at, my)
    }

  private def start(starts: Map[Long, Long], partition: Long): Long = starts.getOrElse(partition, 0L)

  /** Whether some window `[k * step, k * step + n)` contains both. */
  private def share(a: Long, b: Long): Boolean = Position.plus(Position.floor(math.min(a, b), step), n) > math.max(a, b)

  def timesInWindowAt(partnerTime: Long): Option[Span]             = Some(Span.Everything)
  def partnerTimesOf(time: Long): Option[Span]                     = Some(Span.Everything)
  def tooLateFrom(time: Long, lateness: Distance[Axis.Time]): Long = Due.Never
  override def endsInTime: Boolean                                 = false
}

/** A side without a window: all its stored messages can pair. */
private[join] object UnboundedSide extends Side {
  def contains(own: StoredMessage, partner: StoredMessage): Boolean = true
  def timesInWindowAt(partnerTime: Long): Option[Span]              = Some(Span.Everything)
  def partnerTimesOf(time: Long): Option[Span]                      = Some(Span.Everything)
  def tooLateFrom(time: Long, lateness: Distance[Axis.Time]): Long  = Due.Never
  override def endsInTime: Boolean                                  = false
}
