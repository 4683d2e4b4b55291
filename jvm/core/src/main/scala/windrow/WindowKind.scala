package windrow

import java.time.ZoneId
import java.util.Locale

/** What the windows of an operator are (SEMANTICS W). Bounds are event time in microseconds since the epoch, UTC, or
  * positions: sequence numbers in a key, offsets in a source partition.
  */
sealed trait WindowKind {

  /** Everything wrong with the bounds themselves. */
  def problems: Seq[SpecProblem]

  private[windrow] def bounds: WindowBounds

  /** How long a window is; None: messages decide. */
  private[windrow] def extent: Option[TimeSpan] = None

  /** How long a message lasts, in microseconds: no time, or the gap of its session; None: that is no gap.
    *
    * @param gap
    *   that the message brings
    */
  private[windrow] final def lasts(gap: Option[Long]): Option[Long] = this match {
    case Session(forAll) => gap.orElse(forAll.map(_.micros)).filter(_ > 0)
    case _               => Some(0L)
  }

  /** Messages make one window of several, or take one back. */
  private[windrow] def isReplaceable: Boolean = false

  /** Where a window ends is known when it opens. */
  private[windrow] final def hasFixedEnd: Boolean = !isReplaceable && bounds != Unbounded

  /** A message may come when all its windows have left (SEMANTICS R21). */
  private[windrow] def canBeLate: Boolean = bounds.areTimes

  /** Lateness is a number of offsets. */
  private[windrow] def isLateByOffsets: Boolean = false

  /** Each message has a window, whose panes show it. */
  private[windrow] def isOfMessage: Boolean = false

  /** Windows are put together from slices that they share. */
  private[windrow] def isSliced: Boolean = false

  /** The order of a step's messages shows in the windows that there are. */
  private[windrow] def showsOrder: Boolean = bounds == Positions

  /** Only a shard can tell whether it refuses a message, which therefore comes there with its row. */
  private[windrow] def needsRows: Boolean = false

  /** Its messages are panes of another operator. */
  private[windrow] def takesPanes: Boolean = false

  /** How far the stream has come is told by offsets of its source, of whatever key. */
  private[windrow] def goesByOffsets: Boolean = false
}

/** Windows that depend on time alone, the same for every key: half-open, aligned. */
sealed trait AlignedWindows extends WindowKind {
  private[windrow] final def bounds: WindowBounds       = HalfOpen
  private[windrow] final override def isSliced: Boolean = true
}

/** Aligned windows of one length. */
sealed trait FixedWindows extends AlignedWindows {
  def size: TimeSpan
  def step: TimeSpan
  def offset: TimeSpan

  private[windrow] final override def extent: Option[TimeSpan] = Some(size)

  final def problems: Seq[SpecProblem] =
    Seq("size" -> size, "step" -> step).distinctBy(_._2).collect {
      case (name, span) if span.micros <= 0 =>
        SpecProblem("SIZE_NOT_POSITIVE", s"$name is '$span'; it must be longer than 0 microseconds.")
    }
}

/** Windows on the tuple axis. */
sealed trait TupleWindows extends WindowKind {
  private[windrow] final def bounds: WindowBounds = Positions
}

/** Windows on the offsets of a source partition, which messages of all keys have in common. */
sealed trait SourceWindows extends TupleWindows {
  private[windrow] final override def needsRows: Boolean     = true // what is late for them is told by offsets
  private[windrow] final override def goesByOffsets: Boolean = true
}

/** `[start, end)` windows side by side, aligned to `offset` from the epoch. */
final case class Tumbling(size: TimeSpan, offset: TimeSpan = TimeSpan.Zero) extends FixedWindows {
  def step: TimeSpan            = size
  override def toString: String = s"Tumbling('$size'${WindowKind.shown(offset)})"
}

object Tumbling {

  /** Days, weeks (from Monday), months or years as the calendar of a zone has them: `Tumbling("1 month", zone)`. */
  def apply(size: String, zone: ZoneId): Calendar = CalendarUnit.parse(size) match {
    case Right((count, unit)) => Calendar(count, unit, zone)
    case Left(problem)        => throw SpecError(s"Tumbling('$size', zone='$zone')", Seq(problem))
  }
}

/** `[start, end)` windows of `size`, one every `step`. A step that does not divide the size is allowed; a step longer
  * than the size leaves gaps, whose messages are counted and belong to no window.
  */
final case class Hopping(size: TimeSpan, step: TimeSpan, offset: TimeSpan = TimeSpan.Zero) extends FixedWindows {
  override def toString: String = s"Hopping('$size', step='$step'${WindowKind.shown(offset)})"
}

/** `[start, end)`: `count` calendar units of a time zone, right across changes of its clocks; counted from 1970-01-01,
  * weeks from Monday 1969-12-29.
  */
final case class Calendar(count: Int, unit: CalendarUnit, zone: ZoneId) extends AlignedWindows {
  def problems: Seq[SpecProblem] = WindowKind.atLeastOne("size", count.toLong) ++
    TimeSpan.of(BigInt(count.max(0)) * unit.mostDays * 86400000000L, "size").left.toSeq
  override def toString: String = s"Tumbling('$count $unit${if (count == 1) "" else "s"}', zone='$zone')"
}

/** `[first, last + gap)`: messages of a key at most `gap` apart share a session.
  *
  * @param gap
  *   None when every message brings its own
  */
final case class Session(gap: Option[TimeSpan]) extends WindowKind {
  def problems: Seq[SpecProblem]                       = gap.toSeq.flatMap(WindowKind.positive("gap", _))
  private[windrow] def bounds: WindowBounds            = HalfOpen
  private[windrow] override def isReplaceable: Boolean = true
  override def toString: String = gap.fold("Session(gap of each message)")(span => s"Session('$span')")
}

object Session {
  def apply(gap: TimeSpan): Session = new Session(Some(gap))

  /** Every message brings its own gap. */
  val OfMessage: Session = new Session(None)
}

/** `[start, end]`, both inclusive, of `size`: one for each distinct set of messages (KIP-450). A message at t makes
  * `[t - size, t]` and, if that holds anything, `[t + granularity, t + granularity + size]`.
  */
final case class Sliding(size: TimeSpan, granularity: TimeSpan = TimeSpan(1000)) extends WindowKind {
  def problems: Seq[SpecProblem] =
    Option.when(size.micros < 0)(
      SpecProblem("SIZE_NEGATIVE", s"size is '$size'; it must be '0 seconds' or longer.")).toSeq ++
      WindowKind.positive("granularity", granularity) ++
      Option.when(granularity.micros > 0 && size.micros % granularity.micros != 0)(
        SpecProblem("GRANULARITY_NOT_DIVISOR", s"granularity '$granularity' does not divide the size '$size'."))
  private[windrow] def bounds: WindowBounds              = Closed
  private[windrow] override def extent: Option[TimeSpan] = Some(size)
  override def toString: String                          = s"Sliding('$size', granularity='$granularity')"
}

/** A window for each message, ending at it: the last `range` of event time, the last `rows` messages, or all before it.
  * `last` is inclusive, and so is the start.
  */
sealed trait Over extends WindowKind {
  private[windrow] final def bounds: WindowBounds          = Closed
  private[windrow] final override def isOfMessage: Boolean = true
  private[windrow] final override def showsOrder: Boolean  = true
  private[windrow] final override def needsRows: Boolean   = true // panes show them
}

object Over {

  /** What happened for so long up to each message. */
  def apply(range: TimeSpan): Range = Range(range)

  /** So many messages up to each one. */
  def apply(rows: Long): Rows = Rows(rows)

  /** Everything up to each message. */
  def apply(): Over = Everything

  final case class Range(range: TimeSpan) extends Over {
    private[windrow] override def extent: Option[TimeSpan] = Some(range)
    def problems: Seq[SpecProblem] = Option.when(range.micros < 0)(
      SpecProblem("SIZE_NEGATIVE", s"range is '$range'; it must be '0 seconds' or longer.")).toSeq
    override def toString: String = s"Over(range='$range')"
  }

  /** The message and the `rows - 1` before it. */
  final case class Rows(rows: Long) extends Over {
    def problems: Seq[SpecProblem] = WindowKind.atLeastOne("rows", rows)
    override def toString: String  = s"Over(rows=$rows)"
  }

  case object Everything extends Over {
    def problems: Seq[SpecProblem] = Nil
    override def toString: String  = "Over()"
  }
}

/** `[first, last]`: `n` messages of a key by sequence number 0, 1, 2, … in order of acceptance, one every `step`. */
final case class Count(n: Long, step: Long) extends TupleWindows {
  def problems: Seq[SpecProblem]                  = WindowKind.atLeastOne("n", n, "step", step)
  private[windrow] override def isSliced: Boolean = true
  override def toString: String                   = if (step == n) s"Count($n)" else s"Count($n, step=$step)"
}

object Count {
  def apply(n: Long): Count = Count(n, n)
}

/** `[first, last]`: `n` offsets of a source partition, one every `step`, from its start offset on. */
final case class Offsets(n: Long, step: Long) extends SourceWindows {
  def problems: Seq[SpecProblem]                         = WindowKind.atLeastOne("n", n, "step", step)
  private[windrow] override def isSliced: Boolean        = true
  private[windrow] override def canBeLate: Boolean       = true
  private[windrow] override def isLateByOffsets: Boolean = true
  override def toString: String                          = if (step == n) s"Offsets($n)" else s"Offsets($n, step=$step)"
}

object Offsets {
  def apply(n: Long): Offsets = Offsets(n, n)
}

/** `[first, last]` offsets: a session of a key ends when more than `n` messages of the partition pass without the key. */
final case class TupleSession(n: Long) extends SourceWindows {
  def problems: Seq[SpecProblem] =
    Option.when(n < 0)(SpecProblem("N_NEGATIVE", s"n is $n; it must be 0 or more.")).toSeq
  private[windrow] override def isReplaceable: Boolean = true
}

/** One window that holds everything; it needs an early trigger. */
case object Global extends WindowKind {
  def problems: Seq[SpecProblem]                  = Nil
  private[windrow] def bounds: WindowBounds       = Unbounded
  private[windrow] override def isSliced: Boolean = true
  override def toString: String                   = "Global()"
}

/** The windows of the panes that come in: a pane's key is grouped anew, its window stays (SEMANTICS R55).
  *
  * @param column
  *   of the panes, that holds their window
  */
final case class Inherit(column: String = "window") extends WindowKind {
  def problems: Seq[SpecProblem] = Option.when(column.isEmpty)(
    SpecProblem("COLUMN_NOT_STATED", "column is ''; it must name the column of the panes' windows.")).toSeq
  private[windrow] def bounds: WindowBounds            = HalfOpen
  private[windrow] override def isReplaceable: Boolean = true
  private[windrow] override def showsOrder: Boolean    = true
  private[windrow] override def needsRows: Boolean     = true // one may be no pane
  private[windrow] override def takesPanes: Boolean    = true
  override def toString: String                        = s"Inherit('$column')"
}

object WindowKind {
  private[windrow] def positive(name: String, span: TimeSpan): Seq[SpecProblem] =
    Option.when(span.micros <= 0)(
      SpecProblem(
        s"${name.toUpperCase(Locale.ROOT)}_NOT_POSITIVE",
        s"$name is '$span'; it must be longer than 0 microseconds.")).toSeq

  /** A step that is the number itself is one mistake. */
  private[windrow] def atLeastOne(name: String, count: Long, other: String, step: Long): Seq[SpecProblem] =
    atLeastOne(name, count) ++ Option.when(step != count)(atLeastOne(other, step)).toSeq.flatten

  private[windrow] def atLeastOne(name: String, count: Long): Seq[SpecProblem] =
    Option.when(count < 1)(
      SpecProblem(s"${name.toUpperCase(Locale.ROOT)}_NOT_POSITIVE", s"$name is $count; it must be 1 or more.")).toSeq

  private[windrow] def shown(offset: TimeSpan): String = if (offset == TimeSpan.Zero) "" else s", offset='$offset'"
}
