package windrow

import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.EventTime

/** What the windows of an operator are (SEMANTICS W). Bounds are event time in microseconds since the epoch, UTC, or
  * positions: sequence numbers in a key, offsets in a source partition.
  *
  * The kinds are all there is: each is a file beside this one, which says what the other parts ask of it. How their windows
  * are kept is said in `core/shard/WindowAlgorithms.scala`, of full state in `core/fullstate/Assignment.scala`.
  */
trait WindowKind {

  /** Everything wrong with the bounds themselves. */
  def problems: Seq[SpecProblem]

  /** How it is said in JSON and in SQL. */
  private[windrow] def form: WindowForm

  /** Its fields in JSON: durations in microseconds, numbers, texts; None: null. */
  private[windrow] def fields: Seq[(String, Any)]

  /** Which windows there are, and which of them hold a message. */
  private[windrow] def inWords: String

  private[windrow] def bounds: WindowBounds

  /** One window holds everything: nothing but retention bounds it. */
  private[windrow] final def holdsEverything: Boolean = bounds == Unbounded

  /** Windows depend on time alone and are the same for every key. */
  private[windrow] def isAligned: Boolean = false

  /** In which order aggregates see the messages of a window, where it shows. */
  private[windrow] def order: ContentOrder = if (bounds == Positions) ContentOrder.ByOffset else ContentOrder.ByTime

  /** How long a window is; None: messages decide. */
  private[windrow] def extent: Option[TimeSpan] = None

  /** The length that no window passes; None: messages decide. */
  private[windrow] def longest: Option[TimeSpan] = extent

  /** Each message lasts for a gap of time, its own or one for all. */
  private[windrow] def takesGaps: Boolean = false

  /** The gap of messages that bring none. */
  private[windrow] def gapOfAll: Option[TimeSpan] = None

  /** How long a message lasts, in microseconds: no time, or the gap of its session; None: that is no gap.
    *
    * @param gap
    *   that the message brings
    */
  private[windrow] final def lasts(gap: Option[Long]): Option[Long] =
    if (takesGaps) gap.orElse(gapOfAll.map(_.micros)).filter(_ > 0) else Some(0L)

  /** Messages make one window of several, or take one back. */
  private[windrow] def isReplaceable: Boolean = false

  /** Where a window ends is known when it opens. */
  private[windrow] final def hasFixedEnd: Boolean = !isReplaceable && !holdsEverything

  /** A message may come when all its windows have left (SEMANTICS R21). */
  private[windrow] def canBeLate: Boolean = bounds.areTimes

  /** Lateness is a number of offsets. */
  private[windrow] def isLateByOffsets: Boolean = false

  /** What is stated as lateness, in event time; none if it is a number of offsets. */
  private[windrow] final def latenessInTime(stated: TimeSpan): Distance[Axis.Time] =
    if (isLateByOffsets) Distance.none else new Distance(stated.micros)

  /** The same in offsets; none if it is a time. */
  private[windrow] final def latenessInOffsets(stated: TimeSpan): Distance[Axis.Offset] =
    if (isLateByOffsets) new Distance(stated.micros) else Distance.none

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

  /** Where the last of the windows ends, exclusive, that take a message of a place in time: its event time, of a session the
    * end of its own, of an inherited window the end of that. [[EventTime.Max]]: no time is too late for it (SEMANTICS R53).
    *
    * Windows that are aligned ask their grid.
    */
  private[windrow] def lastEnd(place: Long): Long = EventTime.Max

  /** A side of a join may have such windows. */
  private[windrow] def isSide: Boolean = isAligned

  /** Windows of a side bound in time what the other side is kept for. */
  private[windrow] def boundsSide: Boolean = true

  /** The messages of all sides of a join may share such windows. */
  private[windrow] def isShared: Boolean = isAligned

  /** What the watermark does as it completes a window, in words. */
  private[windrow] def completesAs: String = if (bounds == Closed) "has passed last" else "reaches end"

  /** What completes a window, in words, if it is not the watermark alone. */
  private[windrow] def completedBy: Option[String] = None
}

object WindowKind {

  /** All there are, as JSON and SQL say them. */
  private[windrow] val Forms: Seq[WindowForm] = Seq(
    Tumbling.Form,
    Hopping.Form,
    Calendar.Form,
    Session.Form,
    Sliding.Form,
    Over.Form,
    Count.Form,
    OffsetRange.Form,
    OffsetSession.Form,
    Global.Form,
    Inherit.Form)

  private[windrow] def positive(name: String, span: TimeSpan): Seq[SpecProblem] =
    Option.when(span.micros <= 0)(
      SpecProblem("NOT_POSITIVE.DURATION", "name" -> name, "value" -> span)).toSeq

  /** A step that is the number itself is one mistake. */
  private[windrow] def atLeastOne(name: String, count: Long, other: String, step: Long): Seq[SpecProblem] =
    atLeastOne(name, count) ++ Option.when(step != count)(atLeastOne(other, step)).toSeq.flatten

  private[windrow] def atLeastOne(name: String, count: Long): Seq[SpecProblem] =
    Option.when(count < 1)(
      SpecProblem("NOT_POSITIVE.COUNT", "name" -> name, "value" -> count)).toSeq
}
