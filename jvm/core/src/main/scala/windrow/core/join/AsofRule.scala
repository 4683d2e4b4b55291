package windrow.core.join

import windrow.AsofDirection
import windrow.Within.AsOf
import windrow.core.store.{MessageRun, StoredMessage}
import windrow.core.time.{Axis, Distance, Due, Position}

/** Decides which message of the second stream goes together with a message of the first: the nearest in the direction
  * (SEMANTICS R115). Times are in microseconds.
  */
private[join] final class AsofRule(asOf: AsOf, lateness: Distance[Axis.Time]) extends FixedRule {
  private val isForward  = asOf.direction == AsofDirection.Forward
  private val isBackward = asOf.direction == AsofDirection.Backward

  /** How far after a message of the first stream its partner can be. */
  private val ahead = if (isBackward) 0L else asOf.tolerance.fold(0L)(_.micros)

  /** How far before a message of the first stream its partner can be; None if it is not limited. */
  private val behind = if (isForward) Some(0L) else asOf.tolerance.map(_.micros)

  /** The message of a run that is nearest to a message of the first stream with this time. */
  def nearest(run: MessageRun, time: Long): Option[StoredMessage] = {
    val before = if (isForward) None else upTo(run, time).filter(one => isInReach(one.time, time))
    val after  = if (isBackward) None else from(run, time).filter(_.time <= Position.plus(time, ahead))
    nearer(time, before, after)
  }

  /** The nearer one of two possible partners; the first if they are equal. */
  def nearer(time: Long, one: Option[StoredMessage], other: Option[StoredMessage]): Option[StoredMessage] =
    (one, other) match {
      case (Some(a), Some(b)) => if (isNearer(time, b, a)) other else one
      case _                  => one.orElse(other)
    }

  private def isNearer(time: Long, one: StoredMessage, than: StoredMessage): Boolean = {
    val (a, b) = (math.abs(time - one.time), math.abs(time - than.time))
    if (a != b) a < b
    else if (one.time != than.time) one.time < than.time // before and after the message
    else if (isForward || one.time > time) StoredMessage.Order.lt(one, than)
    else StoredMessage.Order.gt(one, than)
  }

  private def isInReach(partner: Long, time: Long): Boolean = behind.forall(partner >= Position.minus(time, _))

  private def upTo(run: MessageRun, time: Long): Option[StoredMessage] = run.lastBefore(Position.plus(time, 1))

  /** The first message at or after a time. */
  def from(run: MessageRun, time: Long): Option[StoredMessage] =
    if (run.isEmpty) None else run.range(Axis.Time, Some(time), None).nextOption()

  /** The times of messages of the first stream whose partner a new message of the second stream may become, given the
    * stored ones.
    */
  def affected(run: MessageRun, time: Long): Span = {
    val reach = rangeOfLeft(time)
    val low = if (isBackward) reach.low else run.lastBefore(time).fold(reach.low)(one => math.max(reach.low, one.time))
    val high =
      if (isForward) reach.high else from(run, time + 1).fold(reach.high)(one => math.min(reach.high, one.time))
    Span(low, high)
  }

  private def rangeOfLeft(time: Long): Span =
    Span(Position.minus(time, ahead), behind.fold(Span.Everything.high)(Position.plus(time, _)))

  def range(message: StoredMessage, stream: Int, other: Int): Option[Span] = Some(
    if (stream == 1) rangeOfLeft(message.time)
    else
      Span(
        behind.fold(Span.Everything.low)(Position.minus(message.time, _)),
        Position.plus(message.time, ahead)))

  def pairs(a: StoredMessage, streamA: Int, b: StoredMessage, streamB: Int): Boolean = true

  def tooLateFrom(time: Long, stream: Int): Long = passed(time)

  /** The watermark from which on no message at or before a time is accepted. */
  private def passed(time: Long): Long = Position.plus(lateness.after(time), 1)

  def decidedFrom(time: Long, stream: Int): Long =
    if (stream == 0) passed(Position.plus(time, ahead))
    else behind.fold(Due.Never)(reach => passed(Position.plus(time, reach)))

  /** The watermark from which on no accepted message could be nearer to a message of the first stream. The partner is
    * searched only if it matters.
    */
  def decidedFrom(time: Long, partner: => Option[StoredMessage]): Long =
    passed(Position.plus(time, if (isBackward) 0 else partner.fold(ahead)(one => math.abs(one.time - time))))

  def neededUntil(time: Long, stream: Int): Long    = decidedFrom(time, stream)
  def protectedUntil(time: Long, stream: Int): Long = decidedFrom(time, stream)
  def inGap(time: Long, stream: Int): Boolean       = false

  /** Removes messages of the second stream that no message of the first at or after a time can have as partner.
    *
    * @return
    *   the number of removed messages
    */
  def retire(run: MessageRun, time: Long): Long = {
    val last  = if (isForward) None else run.lastBefore(time)
    val least = behind.fold(Span.Everything.low)(Position.minus(time, _))
    val from  = last.fold(least)(one => math.max(least, one.time))
    val known = run.retire((at, _) => at < from)
    var more  = 0L
    while (last.exists(one => run.oldest.exists(StoredMessage.Order.lt(_, one)))) {
      run.dropOldest()
      more += 1
    }
    known + more
  }

  /** The watermark at which the oldest message of the second stream may be removed, if none of the first is stored. */
  def leavesFrom(run: MessageRun): Long = {
    val oldest = run.range(Axis.Time, None, None).take(2).map(_.time).toVector
    if (oldest.isEmpty) Due.Never
    else {
      val byReach = decidedFrom(oldest.head, 1)
      if (isForward || oldest.size < 2) byReach else math.min(byReach, passed(oldest(1)))
    }
  }
}
