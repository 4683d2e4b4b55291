package windrow.replay

import windrow._

/** Decides which windows messages of one key form, and which messages are in a window (SEMANTICS W). */
private[windrow] trait ReferenceWindows {

  /** Returns the windows by which a single message is judged. Empty in a gap between windows.
    *
    * @param sequence
    *   the number that the message would get in its key
    */
  def own(message: Message, sequence: Long): Seq[Bounds]

  /** Returns all windows with messages. */
  def all(held: Seq[Held]): Seq[Bounds]

  /** Returns the messages of a window in order. */
  def contents(window: Bounds, held: Seq[Held]): Seq[Held]

  /** Returns the position of a message on the axis of the windows, or None if it has none. */
  def position(one: Held): Option[Long] = one.message.time

  /** The order in which the messages of a step are applied. */
  def order: Ordering[Message] = Message.Order

  /** Whether the end of a window is exclusive. */
  def isHalfOpen: Boolean = true
}

private[windrow] object ReferenceWindows {

  def apply(spec: WindowOperatorSpec): ReferenceWindows = spec.window match {
    case fixed: FixedWindows                                 => new Fixed(fixed)
    case calendar: Calendar                                  => new ByCalendar(calendar)
    case session: Session if session == Session(session.gap) => new Sessions(session.gap.map(_.micros))
    case session: Session                                    => new ReferenceCuts(session)
    case Sliding(size, granularity)                          => new SlidingWindows(size.micros, granularity.micros)
    case over: Over                                          => new OverWindows(over)
    case Count(n, step)                                      => new Counts(n, step)
    case OffsetRange(n, step)                                => new OffsetWindows(n, step, spec.startOffsets)
    case OffsetSession(n)                                    => new TupleSessions(n)
    case _: Inherit                                          => Inherited
    case Global                                              => Everything
    case other => throw new IllegalArgumentException(s"the reference does not support $other")
  }

  /** Windows that depend on time alone. */
  trait Aligned extends ReferenceWindows {

    /** Returns the windows that contain a time, by start. */
    def at(time: Long): Seq[Bounds]

    /** Returns the windows that start later than another one, by start. */
    def after(window: Bounds): Iterator[Bounds]

    def own(message: Message, sequence: Long): Seq[Bounds] = message.time.toSeq.flatMap(at)

    def all(held: Seq[Held]): Seq[Bounds] = held.flatMap(one => at(one.time)).distinct

    def contents(window: Bounds, held: Seq[Held]): Seq[Held] =
      held.filter(one => window.start <= one.time && one.time < window.end).sorted(Held.ByTime)
  }

  final class Fixed(kind: FixedWindows) extends Aligned {
    private val (size, step, startTime) = (kind.size.micros, kind.step.micros, kind.startTime.micros)

    def at(time: Long): Seq[Bounds] = {
      val last =
        Math.floorDiv(time - startTime, step) * step + startTime // the greatest start that is not after the message
      Iterator.iterate(last)(_ - step).takeWhile(_ + size > time).map(start =>
        Bounds(start, start + size)).toSeq.reverse
    }

    def after(window: Bounds): Iterator[Bounds] =
      Iterator.iterate(window.start + step)(_ + step).map(start => Bounds(start, start + size))
  }

  /** Sessions: `[first, last + gap)`.
    *
    * @param gap
    *   the gap of messages without a gap of their own
    */
  final class Sessions(gap: Option[Long]) extends ReferenceWindows {

    def own(message: Message, sequence: Long): Seq[Bounds] =
      for (time <- message.time.toSeq; own <- message.gap.orElse(gap)) yield Bounds(time, Bounds.plus(time, own))

    /** Merges from the earliest window on: a window that starts inside the session before it, or exactly at its end,
      * joins it (R20).
      */
    def all(held: Seq[Held]): Seq[Bounds] =
      held.flatMap(one => own(one.message, one.sequence)).sorted(Bounds.Order).foldLeft(Vector.empty[Bounds]) {
        case (earlier :+ session, next) if next.start <= session.end =>
          earlier :+ Bounds(session.start, math.max(session.end, next.end))
        case (sessions, next) => sessions :+ next
      }

    def contents(window: Bounds, held: Seq[Held]): Seq[Held] =
      held.filter(one => window.start <= one.time && one.time < window.end).sorted(Held.ByTime)
  }

  /** `[t - size, t]` and `[t + granularity, t + granularity + size]` of every message, unless they contain no message.
    */
  final class SlidingWindows(size: Long, granularity: Long) extends ReferenceWindows {
    private def floor(time: Long): Long = Math.floorDiv(time, granularity) * granularity

    /** Returns the last window that could contain the message (SEMANTICS R47). */
    def own(message: Message, sequence: Long): Seq[Bounds] =
      message.time.toSeq.map(time => Bounds(floor(time), Bounds.plus(floor(time), size)))

    def all(held: Seq[Held]): Seq[Bounds] =
      held.map(one => floor(one.time)).flatMap(time => Seq(time - size, time + granularity)).distinct.sorted
        .map(start => Bounds(start, start + size))
        .map(window => (window, contents(window, held)))
        .filter(_._2.nonEmpty).distinctBy(_._2).map(_._1) // the earliest of those with the same content

    def contents(window: Bounds, held: Seq[Held]): Seq[Held] =
      held.filter(one => window.start <= floor(one.time) && floor(one.time) <= window.end).sorted(Held.ByTime)

    override def position(one: Held): Option[Long] = one.message.time.map(floor)
    override def isHalfOpen: Boolean               = false
  }

  /** One window for each message, which ends at it. It starts at its range, or at the first message in it (R4, R43). */
  final class OverWindows(kind: Over) extends ReferenceWindows {

    def own(message: Message, sequence: Long): Seq[Bounds] =
      message.time.toSeq.map(time => Bounds(time, time, of = Some(Held(message, sequence))))

    def all(held: Seq[Held]): Seq[Bounds] = held.map { one =>
      val start = kind match {
        case Over.Range(range) => one.time - range.micros
        case _                 => upTo(one, held).head.time
      }
      Bounds(start, one.time, of = Some(one))
    }

    def contents(window: Bounds, held: Seq[Held]): Seq[Held] = window.of.toSeq.flatMap(upTo(_, held))

    private def upTo(one: Held, held: Seq[Held]): Seq[Held] = {
      val sorted = held.sorted(Held.ByTime)
      kind match {
        case Over.Range(range) => sorted.filter(h => one.time - range.micros <= h.time && h.time <= one.time)
        case Over.Rows(rows)   => sorted.take(sorted.indexOf(one) + 1).takeRight(Math.toIntExact(rows))
        case Over.Everything   => sorted.filter(_.time <= one.time)
      }
    }

    override def isHalfOpen: Boolean = false
  }

  /** The windows of panes. They stay even if all of their content is retracted (SEMANTICS R55). */
  object Inherited extends ReferenceWindows {
    private def of(one: Message): Option[Bounds] = one.pane.map(pane => Bounds(pane.start, pane.end))

    def own(message: Message, sequence: Long): Seq[Bounds] = of(message).toSeq
    def all(held: Seq[Held]): Seq[Bounds]                  = held.flatMap(one => of(one.message)).distinct

    /** Returns the content in order of acceptance. A retraction removes the last equal pane, or the next one to arrive.
      */
    def contents(window: Bounds, held: Seq[Held]): Seq[Held] = {
      def same(a: Held, b: Held) = content(a) == content(b)
      val (live, _) = held.filter(one => of(one.message).contains(window))
        .foldLeft((Vector.empty[Held], Vector.empty[Held])) { case ((live, owed), one) =>
          if (one.message.pane.exists(_.isRetraction)) {
            val taken = live.lastIndexWhere(same(_, one))
            if (taken < 0) (live, owed :+ one) else (live.patch(taken, Nil, 1), owed)
          } else {
            val paid = owed.indexWhere(same(_, one))
            if (paid < 0) (live :+ one, owed) else (live, owed.patch(paid, Nil, 1))
          }
        }
      live.sorted(Held.ByTime)
    }

    /** The content that a retraction shares with its pane. */
    private def content(one: Held) =
      one.message.copy(partition = None, offset = None, pane = one.message.pane.map(_.copy(isRetraction = false)))

    override def position(one: Held): Option[Long] = one.message.pane.map(_.start)
  }

  /** A single window, which ends with the input. */
  object Everything extends ReferenceWindows {
    private val window = Bounds(Long.MinValue, Long.MaxValue)

    def own(message: Message, sequence: Long): Seq[Bounds]   = Seq(window)
    def all(held: Seq[Held]): Seq[Bounds]                    = if (held.isEmpty) Nil else Seq(window)
    def contents(window: Bounds, held: Seq[Held]): Seq[Held] = held.sorted(Held.ByTime)
  }
}
