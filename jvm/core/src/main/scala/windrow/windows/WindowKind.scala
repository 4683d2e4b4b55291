package windrow

import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.EventTime

/** The windows of an operator (SEMANTICS W). Bounds are event times in microseconds since the epoch, UTC, or positions:
  * sequence numbers of a key, or offsets of a source partition.
  *
  * Each kind has a file in this folder that defines the properties other parts need; further kinds do not exist.
  * `core/shard/WindowAlgorithms.scala` chooses the algorithm for aggregates, and `core/fullstate/Assignment.scala` the
  * one for full state.
  */
trait WindowKind {

  /** All problems of the window's own settings. */
  def problems: Seq[SpecProblem]

  /** Its form in JSON and in SQL. */
  private[windrow] def form: WindowForm

  /** Its fields in JSON: durations in microseconds, numbers, texts; None is written as null. */
  private[windrow] def fields: Seq[(String, Any)]

  /** Describes as text which windows exist, and which of them contain a message. */
  private[windrow] def inWords: String

  private[windrow] def bounds: WindowBounds

  /** Whether a single window contains everything, limited only by retention. */
  private[windrow] final def holdsEverything: Boolean = bounds == Unbounded

  /** Whether windows depend on time alone and are the same for every key. */
  private[windrow] def isAligned: Boolean = false

  /** The order in which aggregates receive the messages of a window, if it matters. */
  private[windrow] def order: ContentOrder = if (bounds == Positions) ContentOrder.ByOffset else ContentOrder.ByTime

  /** The length of a window; None if messages determine it. */
  private[windrow] def extent: Option[TimeSpan] = None

  /** The greatest length of a window; None if messages determine it. */
  private[windrow] def longest: Option[TimeSpan] = extent

  /** Whether each message has a gap, its own or a common one. */
  private[windrow] def takesGaps: Boolean = false

  /** The gap of messages without their own. */
  private[windrow] def gapOfAll: Option[TimeSpan] = None

  /** The duration of a message in microseconds: 0, or the gap of its session; None if the gap is not positive.
    *
    * @param gap
    *   the message's own gap
    */
  private[windrow] final def lasts(gap: Option[Long]): Option[Long] =
    if (takesGaps) gap.orElse(gapOfAll.map(_.micros)).filter(_ > 0) else Some(0L)

  /** Whether messages can merge windows or retract one. */
  private[windrow] def isReplaceable: Boolean = false

  /** Whether the end of a window is known when it opens. */
  private[windrow] final def hasFixedEnd: Boolean = !isReplaceable && !holdsEverything

  /** Whether a message can arrive after all its windows are closed (SEMANTICS R21). */
  private[windrow] def canBeLate: Boolean = bounds.areTimes

  /** Whether lateness is a number of offsets. */
  private[windrow] def isLateByOffsets: Boolean = false

  /** The lateness in event time; 0 if it is a number of offsets. */
  private[windrow] final def latenessInTime(stated: TimeSpan): Distance[Axis.Time] =
    if (isLateByOffsets) Distance.none else new Distance(stated.micros)

  /** The lateness in offsets; 0 if it is a time. */
  private[windrow] final def latenessInOffsets(stated: TimeSpan): Distance[Axis.Offset] =
    if (isLateByOffsets) new Distance(stated.micros) else Distance.none

  /** Whether each message has its own window, whose panes show the message. */
  private[windrow] def isOfMessage: Boolean = false

  /** Whether windows are computed from slices that they share. */
  private[windrow] def isSliced: Boolean = false

  /** Whether the order of a step's messages affects which windows exist. */
  private[windrow] def showsOrder: Boolean = bounds == Positions

  /** Whether only a shard can decide if a message is rejected, so that messages must be sent there with their rows. */
  private[windrow] def needsRows: Boolean = false

  /** Whether its messages are panes of another operator. */
  private[windrow] def takesPanes: Boolean = false

  /** Whether progress is measured by the offsets of the source, across all keys. */
  private[windrow] def goesByOffsets: Boolean = false

  /** The exclusive end of the last window that accepts a message with this place in time: its event time, the end of
    * its session, or the end of the inherited window. [[EventTime.Max]] if no message is ever late (SEMANTICS R53).
    *
    * Not used for aligned windows, whose grid determines it.
    */
  private[windrow] def lastEnd(place: Long): Long = EventTime.Max

  /** Whether a side of a join can have such windows. */
  private[windrow] def isSide: Boolean = isAligned

  /** Whether the windows of a side limit how long messages of the other side are needed. */
  private[windrow] def boundsSide: Boolean = true

  /** Whether the sides of a join can share such windows. */
  private[windrow] def isShared: Boolean = isAligned

  /** Describes as text how the watermark completes a window. */
  private[windrow] def completesAs: String = if (bounds == Closed) "has passed last" else "reaches end"

  /** Describes as text the completion of a window, if it does not depend on the watermark alone. */
  private[windrow] def completedBy: Option[String] = None
}

object WindowKind {

  /** The forms of all kinds. */
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

  /** Reports a single problem if the step equals the count. */
  private[windrow] def atLeastOne(name: String, count: Long, other: String, step: Long): Seq[SpecProblem] =
    atLeastOne(name, count) ++ Option.when(step != count)(atLeastOne(other, step)).toSeq.flatten

  private[windrow] def atLeastOne(name: String, count: Long): Seq[SpecProblem] =
    Option.when(count < 1)(
      SpecProblem("NOT_POSITIVE.COUNT", "name" -> name, "value" -> count)).toSeq
}
