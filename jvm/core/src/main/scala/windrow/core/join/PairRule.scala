package windrow.core.join

import windrow._
import windrow.core.store.StoredMessage
import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.Due
import windrow.core.time.EventTime
import windrow.core.time.Position

/** Which messages pair, and how long a message waits for partners. Keeps nothing; streams go by their place in the spec,
  * times are microseconds.
  */
private[join] trait PairRule {

  /** As it is for a key now. */
  def in(state: KeySides): PairRule

  /** Where pairs depend on what has come before: the groups that a message completes, which is then taken note of. They
    * are found as they are taken; the message is not among those that are kept yet.
    */
  def bringsTogether(state: KeySides, stream: Int, message: StoredMessage): Option[Iterator[IndexedSeq[StoredMessage]]]

  /** Of a message of one stream, where its partners of another lie; None: nowhere. */
  def range(message: StoredMessage, stream: Int, other: Int): Option[Span]

  /** Two messages of different streams pair; they are in the range of each other. */
  def pairs(a: StoredMessage, streamA: Int, b: StoredMessage, streamB: Int): Boolean

  /** The watermark from which on a message of this time comes too late. */
  def tooLateFrom(time: Long, stream: Int): Long

  /** With two streams: the watermark from which on no message that would still be accepted could pair with one of this
    * time; the least of all if none ever could.
    */
  def decidedFrom(time: Long, stream: Int): Long

  /** The watermark from which on a message of this time is not needed any more; never less for a later time. */
  def neededUntil(time: Long, stream: Int): Long

  /** The watermark until which a count of messages takes nothing of this time away (SEMANTICS R10). */
  def protectedUntil(time: Long, stream: Int): Long

  def inGap(time: Long, stream: Int): Boolean
}

private[join] object PairRule {
  def apply(spec: JoinSpec): PairRule = spec.within match {
    case Within.Ranges(of)                     => new RangeRule(spec.names, of, spec.latenessInTime)
    case Within.Everything                     => new WindowRule(spec.names.map(name => JoinStream(name)), spec)
    case Within.OwnWindows                     => new WindowRule(spec.streams, spec)
    case Within.SameWindow(Session(Some(gap))) => new SessionRule(gap.micros, spec.latenessInTime)
    case Within.SameWindow(window) =>
      new WindowRule(spec.names.map(name => JoinStream(name, Some(window))), spec)
  }
}

/** Pairs depend on their two messages alone. */
private[join] trait FixedRule extends PairRule {
  def in(state: KeySides): PairRule = this

  def bringsTogether(
      state: KeySides,
      stream: Int,
      message: StoredMessage): Option[Iterator[IndexedSeq[StoredMessage]]] =
    None
}

/** `within=(low, high)` beside the first stream; of other streams two pair through it (SEMANTICS R37, R38). */
private[join] final class RangeRule(names: Seq[String], of: Map[String, JoinRange], lateness: Distance[Axis.Time])
    extends FixedRule {
  private val ranges  = names.map(of.get).toIndexedSeq
  private val least   = ranges.map(_.fold(0L)(_.least)).toArray
  private val most    = ranges.map(_.fold(0L)(_.greatest)).toArray
  private val reaches = names.map(JoinReach.of(_, names, of)).toIndexedSeq

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
    Position.plus(lateness.after(Position.plus(time, reaches(stream))), 1)

  def neededUntil(time: Long, stream: Int): Long    = decidedFrom(time, stream)
  def protectedUntil(time: Long, stream: Int): Long = decidedFrom(time, stream)

  def inGap(time: Long, stream: Int): Boolean = false
}

/** Each pair of streams by their own windows (SEMANTICS R36). If one is unbounded, a window of the other has no effect
  * on pairs.
  */
private[join] final class WindowRule(streams: Seq[JoinStream], spec: JoinSpec) extends FixedRule {
  private val lateness = spec.latenessInTime

  /** By stream, and by the partner for whom it is. */
  private val sides: IndexedSeq[IndexedSeq[Side]] = streams.toIndexedSeq.map(one =>
    streams.toIndexedSeq.map(other => Side(one.window, (starts(one), starts(other)))))

  private def starts(stream: JoinStream): Map[Long, Long] = spec.startOffsets.getOrElse(stream.name, Map.empty)

  private def own(stream: Int): Side = sides(stream)(stream)

  private def isFree(a: Int, b: Int): Boolean = own(a) == UnboundedSide || own(b) == UnboundedSide

  def range(message: StoredMessage, stream: Int, other: Int): Option[Span] =
    if (isFree(stream, other)) Some(Span.Everything)
    else partners(message.time, stream, other)

  def pairs(a: StoredMessage, streamA: Int, b: StoredMessage, streamB: Int): Boolean =
    isFree(streamA, streamB) || sides(streamA)(streamB).shows(a, b) || sides(streamB)(streamA).shows(b, a)

  def tooLateFrom(time: Long, stream: Int): Long = own(stream).tooLateFrom(time, lateness)

  def decidedFrom(time: Long, stream: Int): Long = streams.indices.filterNot(_ == stream).map { other =>
    if (isFree(stream, other)) Due.Never
    else partners(time, stream, other).flatMap(own(other).lastIn)
      .fold(Due.AtOnce)(own(other).tooLateFrom(_, lateness))
  }.max

  def neededUntil(time: Long, stream: Int): Long = neededUntil(time, stream, Set(stream))

  /** With three and more streams a row may wait for one that only a partner sees. */
  private def neededUntil(time: Long, stream: Int, seen: Set[Int]): Long = streams.indices.filterNot(seen).map {
    other =>
      if (isFree(stream, other)) Due.Never
      else {
        val last = partners(time, stream, other).fold(time)(span => math.max(time, span.high))
        math.max(own(other).tooLateFrom(last, lateness), neededUntil(last, other, seen + other))
      }
  }.maxOption.getOrElse(Due.AtOnce)

  /** Where partners lie; both spans hold `time`, so nothing lies between them. */
  private def partners(time: Long, stream: Int, other: Int): Option[Span] =
    (own(other).view(time) ++ own(stream).seenFrom(time)).reduceOption(_ hull _)

  def protectedUntil(time: Long, stream: Int): Long =
    if (!own(stream).endsInTime) Due.AtOnce
    else own(stream).tooLateFrom(time, lateness)

  def inGap(time: Long, stream: Int): Boolean = own(stream).inGap(time)
}
