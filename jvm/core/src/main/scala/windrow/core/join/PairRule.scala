package windrow.core.join

import windrow._
import windrow.core.store.StoredMessage
import windrow.core.time.{Axis, Distance, Due, EventTime, Position}

/** Decides which messages pair, and how long a message waits for partners. Stateless. Streams are identified by their
  * index in the spec; times are in microseconds.
  */
private[join] trait PairRule {

  /** The rule for the current state of a key. */
  def in(state: KeySides): PairRule

  /** For rules whose pairs depend on earlier messages: records a message and returns the groups that it completes,
    * computed lazily. The message itself must not be stored yet.
    */
  def bringsTogether(state: KeySides, stream: Int, message: StoredMessage): Option[Iterator[IndexedSeq[StoredMessage]]]

  /** The range of event time of a message's partners in another stream; None if there can be none. */
  def range(message: StoredMessage, stream: Int, other: Int): Option[Span]

  /** Whether two messages of different streams pair, given that each is in the range of the other. */
  def pairs(a: StoredMessage, streamA: Int, b: StoredMessage, streamB: Int): Boolean

  /** The watermark from which on a message of this time is late. */
  def tooLateFrom(time: Long, stream: Int): Long

  /** With two streams, the watermark from which on no accepted message could pair with one of this time; the least
    * watermark if none ever could.
    */
  def decidedFrom(time: Long, stream: Int): Long

  /** The watermark from which on a message of this time is not needed; never decreases with time. */
  def neededUntil(time: Long, stream: Int): Long

  /** The watermark until which retention by count keeps messages of this time (SEMANTICS R10). */
  def protectedUntil(time: Long, stream: Int): Long

  def inGap(time: Long, stream: Int): Boolean
}

/** Rules by which pairs depend only on their two messages. */
private[join] trait FixedRule extends PairRule {
  def in(state: KeySides): PairRule = this

  def bringsTogether(
      state: KeySides,
      stream: Int,
      message: StoredMessage): Option[Iterator[IndexedSeq[StoredMessage]]] =
    None
}

/** `within=(low, high)` relative to the first stream. Two messages of other streams pair through it (SEMANTICS R37,
  * R38).
  *
  * @param waits
  *   for each stream, how long after a message of it its last partner can be, in microseconds, or longer
  */
private[join] final class RangeRule(
    names: Seq[String],
    of: Map[String, JoinRange],
    waits: IndexedSeq[Long],
    lateness: Distance[Axis.Time])
    extends FixedRule {
  private val ranges = names.map(of.get).toIndexedSeq
  private val least  = ranges.map(_.fold(0L)(_.least)).toArray
  private val most   = ranges.map(_.fold(0L)(_.greatest)).toArray

  def range(message: StoredMessage, stream: Int, other: Int): Option[Span] = {
    val (low, high) = (from(message.time, stream, other), to(message.time, stream, other))
    Option.when(low <= high)(Span(low, high))
  }

  private def from(time: Long, stream: Int, other: Int): Long =
    if (stream == 0) Position.plus(time, least(other))
    else if (other == 0) Position.minus(time, most(stream))
    else EventTime.Min

  private def to(time: Long, stream: Int, other: Int): Long =
    if (stream == 0) Position.plus(time, most(other))
    else if (other == 0) Position.minus(time, least(stream))
    else EventTime.Max

  def pairs(a: StoredMessage, streamA: Int, b: StoredMessage, streamB: Int): Boolean =
    from(a.time, streamA, streamB) <= b.time && b.time <= to(a.time, streamA, streamB)

  def tooLateFrom(time: Long, stream: Int): Long = Position.plus(lateness.after(time), 1)

  def decidedFrom(time: Long, stream: Int): Long =
    Position.plus(lateness.after(Position.plus(time, waits(stream))), 1)

  def neededUntil(time: Long, stream: Int): Long    = decidedFrom(time, stream)
  def protectedUntil(time: Long, stream: Int): Long = decidedFrom(time, stream)

  def inGap(time: Long, stream: Int): Boolean = false
}

/** Pairs streams by their own windows (SEMANTICS R36). If one of two streams is unbounded, the window of the other has
  * no effect on pairs.
  */
private[join] final class WindowRule(windows: Seq[WindowFamily.SideFamily], spec: JoinSpec) extends FixedRule {
  private val lateness = spec.latenessInTime
  private val streams  = spec.names.toIndexedSeq

  /** The side of each stream, for each partner stream. */
  private val sides: IndexedSeq[IndexedSeq[Side]] = windows.toIndexedSeq.zip(streams).map { case (window, one) =>
    streams.map(other => Side(window, starts(one), starts(other)))
  }

  private def starts(stream: String): Map[Long, Long] = spec.startOffsets.getOrElse(stream, Map.empty)

  private def own(stream: Int): Side = sides(stream)(stream)

  private def isFree(a: Int, b: Int): Boolean = own(a) == UnboundedSide || own(b) == UnboundedSide

  def range(message: StoredMessage, stream: Int, other: Int): Option[Span] =
    if (isFree(stream, other)) Some(Span.Everything)
    else partners(message.time, stream, other)

  def pairs(a: StoredMessage, streamA: Int, b: StoredMessage, streamB: Int): Boolean =
    isFree(streamA, streamB) || sides(streamA)(streamB).contains(a, b) || sides(streamB)(streamA).contains(b, a)

  def tooLateFrom(time: Long, stream: Int): Long = own(stream).tooLateFrom(time, lateness)

  def decidedFrom(time: Long, stream: Int): Long = streams.indices.filterNot(_ == stream).map { other =>
    if (isFree(stream, other)) Due.Never
    else partners(time, stream, other).flatMap(own(other).lastIn)
      .fold(Due.AtOnce)(own(other).tooLateFrom(_, lateness))
  }.max

  def neededUntil(time: Long, stream: Int): Long = neededUntil(time, stream, Set(stream))

  /** With three or more streams a row may wait for a message that only a partner of this one sees. */
  private def neededUntil(time: Long, stream: Int, seen: Set[Int]): Long = streams.indices.filterNot(seen).map {
    other =>
      if (isFree(stream, other)) Due.Never
      else {
        val last = partners(time, stream, other).fold(time)(span => math.max(time, span.high))
        math.max(own(other).tooLateFrom(last, lateness), neededUntil(last, other, seen + other))
      }
  }.maxOption.getOrElse(Due.AtOnce)

  /** The range of partners. Both spans contain `time`, so their hull has no gap. */
  private def partners(time: Long, stream: Int, other: Int): Option[Span] =
    (own(other).timesInWindowAt(time) ++ own(stream).partnerTimesOf(time)).reduceOption(_ hull _)

  def protectedUntil(time: Long, stream: Int): Long =
    if (!own(stream).endsInTime) Due.AtOnce
    else own(stream).tooLateFrom(time, lateness)

  def inGap(time: Long, stream: Int): Boolean = own(stream).inGap(time)
}
