package windrow.testkit

import windrow.{FixedWindows, Session, WindowKind}

/** A window of one key, `[start, end)` in microseconds. */
final case class Bounds(start: Long, end: Long) {
  def holds(message: Message): Boolean = message.time.exists(t => start <= t && t < end)
}

object Bounds {
  val Order: Ordering[Bounds] = Ordering.by(bounds => (bounds.start, bounds.end))
}

/** Which windows some messages of one key make. */
private[testkit] sealed trait ReferenceWindows {

  /** The windows that the message would make alone; none in a gap between windows. */
  def of(message: Message): Seq[Bounds]

  /** All windows of these messages of one key, sorted by start. */
  def of(messages: Seq[Message]): Seq[Bounds]
}

private[testkit] object ReferenceWindows {

  def apply(kind: WindowKind): ReferenceWindows = kind match {
    case aligned: FixedWindows => new Aligned(aligned)
    case Session(gap)          => new Sessions(gap.map(_.micros))
    case other                 => throw new UnsupportedOperationException(s"$other")
  }

  /** Windows beyond 64 bits end at its limits. */
  def plus(a: Long, b: Long): Long =
    try Math.addExact(a, b)
    catch { case _: ArithmeticException => if (b > 0) Long.MaxValue else Long.MinValue }

  final class Aligned(kind: FixedWindows) extends ReferenceWindows {
    private val (size, step, offset) = (kind.size.micros, kind.step.micros, kind.offset.micros)

    def of(message: Message): Seq[Bounds] = message.time.toSeq.flatMap { time =>
      val last = Math.floorDiv(time - offset, step) * step + offset // the greatest start that is not after the message
      Iterator.iterate(last)(_ - step).map(start => Bounds(start, start + size)).takeWhile(_.holds(
        message)).toSeq.reverse
    }

    def of(messages: Seq[Message]): Seq[Bounds] = messages.flatMap(of(_)).distinct.sorted(Bounds.Order)

    /** Every window from one to another, both included (SEMANTICS R3). */
    def between(first: Bounds, last: Bounds): Seq[Bounds] =
      Iterator.iterate(first.start)(_ + step).takeWhile(_ <= last.start).map(start => Bounds(start, start + size)).toSeq
  }

  /** @param gap
    *   None: each message brings its own
    */
  final class Sessions(gap: Option[Long]) extends ReferenceWindows {

    def of(message: Message): Seq[Bounds] =
      for (time <- message.time.toSeq; own <- gap.orElse(message.gap)) yield Bounds(time, plus(time, own))

    /** From the earliest on, a window that begins inside the session before it, or right at its end, joins it (R20). */
    def of(messages: Seq[Message]): Seq[Bounds] =
      messages.flatMap(of(_)).sorted(Bounds.Order).foldLeft(Vector.empty[Bounds]) {
        case (earlier :+ session, next) if next.start <= session.end =>
          earlier :+ Bounds(session.start, math.max(session.end, next.end))
        case (sessions, next) => sessions :+ next
      }
  }
}
