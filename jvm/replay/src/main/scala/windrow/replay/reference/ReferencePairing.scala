package windrow.replay

import windrow._

/** Decides which messages of a join pair, literally as in SEMANTICS R36 and R37. Windows are listed, never computed. */
private[windrow] final class ReferencePairing(spec: JoinSpec) {
  private val lateness = spec.lateness.micros

  private val windows: IndexedSeq[Option[WindowKind]] = spec.within match {
    case Within.SameWindow(window) => spec.streams.map(_ => Option(window)).toIndexedSeq
    case Within.Everything         => spec.streams.map(_ => Option.empty[WindowKind]).toIndexedSeq
    case _                         => spec.streams.map(_.window.filter(isBound)).toIndexedSeq
  }

  private def isBound(window: WindowKind): Boolean = window != Over.Everything && window != Global

  def pairs(a: Message, streamA: Int, b: Message, streamB: Int): Boolean = spec.within match {
    case Within.Ranges(of) =>
      if (streamA == 0) inRange(of(spec.names(streamB)), b.time.get - a.time.get)
      else if (streamB == 0) inRange(of(spec.names(streamA)), a.time.get - b.time.get)
      else true
    case _ =>
      windows(streamA).isEmpty || windows(streamB).isEmpty || sees(streamA, a, streamB, b) || sees(
        streamB,
        b,
        streamA,
        a)
  }

  private def inRange(range: JoinRange, distance: Long): Boolean = {
    val (low, high) = (range.low.micros, range.high.micros)
    (if (range.isLowOpen) low < distance else low <= distance) &&
    (if (range.isHighOpen) distance < high else distance <= high)
  }

  /** Whether the window of the owner's stream, taken at the partner's position, contains the owner. */
  private def sees(stream: Int, owner: Message, partnerStream: Int, partner: Message): Boolean =
    windows(stream).get match {
      case OffsetRange(n, step) =>
        val (mine, theirs) = (owner.identity.get, partner.identity.get)
        val at             = theirs._3 - start(partnerStream, theirs._2) + start(stream, mine._2)
        val first          = start(stream, mine._2)
        mine._2 == theirs._2 && Iterator.iterate(first)(_ + step).takeWhile(_ <= math.min(at, mine._3))
          .exists(from => at < from + n && mine._3 < from + n)
      case window => at(window, partner.time.get).exists(own => own.start <= owner.time.get && owner.time.get < own.end)
    }

  private def start(stream: Int, partition: Int): Long =
    spec.startOffsets.getOrElse(spec.names(stream), Map.empty).getOrElse(partition.toLong, 0L)

  /** Returns the windows of a kind at a position. */
  private def at(window: WindowKind, time: Long): Seq[Bounds] = window match {
    case Over.Range(range)   => Seq(Bounds(time - range.micros, time + 1))
    case fixed: FixedWindows => new ReferenceWindows.Fixed(fixed).at(time)
    case calendar: Calendar  => new ByCalendar(calendar).at(time)
    case other               => throw new IllegalArgumentException(s"a side of a join does not support $other")
  }

  private def isTimed(window: WindowKind): Boolean = !window.isInstanceOf[OffsetRange]

  def isInGap(stream: Int, time: Long): Boolean =
    !isRanged && windows(stream).filter(isTimed).exists(at(_, time).isEmpty)

  private def isRanged: Boolean = spec.within.isInstanceOf[Within.Ranges]

  def isTooLate(stream: Int, time: Long, watermark: Option[Long]): Boolean = watermark.exists { w =>
    if (isRanged) w > Bounds.plus(time, lateness)
    else windows(stream).filter(isTimed).exists {
      case _: Over => w > Bounds.plus(time, lateness)
      case window  => at(window, time).forall(own => w >= Bounds.plus(own.end, lateness))
    }
  }

  /** Whether no message that would still be accepted could pair with a message of this time. For two streams only. */
  def isDecided(stream: Int, time: Long, watermark: Option[Long]): Boolean = spec.within match {
    case Within.Ranges(of) => watermark.exists(w => w == Long.MaxValue || isPastRanges(stream, time, of, w))
    case _ =>
      watermark.contains(Long.MaxValue) || windows.indices.filterNot(_ == stream).forall { other =>
        partners(stream, time, other) match {
          case None => false
          case Some(spans) =>
            val positions = spans.flatMap(span => Seq(span.start, span.end - 1))
            positions.isEmpty || lastTaking(other, positions.max).forall(last =>
              last < positions.min || isTooLate(other, last, watermark))
        }
      }
  }

  /** Without a stated retention: whether every stream rejects messages up to the last time that could matter to a
    * message of this time.
    */
  def isNeedless(stream: Int, time: Long, watermark: Option[Long]): Boolean = spec.within match {
    case Within.Ranges(_) => isDecided(stream, time, watermark)
    case _                => watermark.contains(Long.MaxValue) || isNeedless(stream, time, watermark, Set(stream))
  }

  private def isNeedless(stream: Int, time: Long, watermark: Option[Long], seen: Set[Int]): Boolean =
    windows.indices.filterNot(seen).forall { other =>
      partners(stream, time, other).exists { spans =>
        val last = (time +: spans.map(_.end - 1)).max
        lastTaking(other, last).forall(isTooLate(other, _, watermark)) &&
        isNeedless(other, last, watermark, seen + other)
      }
    }

  /** Returns the windows around a time that can contain partners from another stream, or None if partners can be
    * anywhere.
    */
  private def partners(stream: Int, time: Long, other: Int): Option[Seq[Bounds]] =
    (windows(stream), windows(other)) match {
      case (Some(mine), Some(theirs)) if isTimed(mine) && isTimed(theirs) =>
        Some(at(theirs, time) ++ (mine match {
          case Over.Range(range) => Seq(Bounds(time, time + range.micros + 1))
          case window            => at(window, time)
        }))
      case _ => None
    }

  /** Returns the last time, not after a given one, that is in a window of the stream. */
  private def lastTaking(stream: Int, time: Long): Option[Long] =
    windows(stream).flatMap(window => Iterator.iterate(time)(_ - 1).take(1000000).find(at(window, _).nonEmpty))

  /** SEMANTICS R37. For more than two streams: whether the last time at which any of them may still complete a row has
    * passed.
    */
  private def isPastRanges(stream: Int, time: Long, of: Map[String, JoinRange], w: Long): Boolean = {
    def isPast(edge: Long, isOpen: Boolean) = if (isOpen) w - lateness >= edge else w - lateness > edge
    val others                              = of.filterNot(_._1 == spec.names(stream)).values
    if (stream == 0) others.forall(range => isPast(time + range.high.micros, range.isHighOpen))
    else {
      val own   = of(spec.names(stream))
      val first = time - own.low.micros
      isPast(first, own.isLowOpen) && others.forall(range =>
        w - lateness > first + range.high.micros - (if (own.isLowOpen) 1 else 0) - (if (range.isHighOpen) 1 else 0))
    }
  }

  /** Whether a limit of messages must keep the message, because its window still accepts messages (SEMANTICS R10). */
  def isProtected(stream: Int, time: Long, watermark: Option[Long]): Boolean =
    if (isRanged) !isDecided(stream, time, watermark)
    else windows(stream).exists(isTimed) && !isTooLate(stream, time, watermark)
}
