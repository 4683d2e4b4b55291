package windrow

import windrow.WindowFamily._
import windrow.core.time.{Axis, Distance}

/** The windows of an operator (SEMANTICS W). Bounds are event times in microseconds since the epoch, UTC, or positions:
  * sequence numbers of a key, or offsets of a source partition.
  *
  * Each kind is one file in this folder that defines its settings and their checks, its JSON and SQL, its words, and its
  * [[WindowFamily]]. All other code matches on the family. `WindowKinds` lists all kinds.
  */
trait WindowKind {

  /** All problems of the window's own settings. */
  def problems: Seq[SpecProblem]

  /** Its form in JSON and in SQL. */
  private[windrow] def form: WindowForm

  /** Its fields in JSON: durations in microseconds, numbers, texts; None is written as null. */
  private[windrow] def fields: Seq[(String, Any)]

  /** Determines how its windows are formed. */
  private[windrow] def family: WindowFamily

  /** Describes as text which windows exist, and which of them contain a message. */
  private[windrow] def inWords: String

  /** Describes as text how the watermark completes a window. */
  private[windrow] def completesAs: String =
    if (bounds == Closed) "has passed the last instant of the window" else "reaches the end of the window"

  /** Describes as text the completion of a window, if it does not depend on the watermark alone. */
  private[windrow] def completedBy: Option[String] = None

  /** The length of a window; None if messages determine it. */
  private[windrow] def extent: Option[TimeSpan] = None

  /** The greatest length of a window; None if messages determine it. */
  private[windrow] def longest: Option[TimeSpan] = extent

  private[windrow] final def bounds: WindowBounds = family.bounds

  private[windrow] final def rowValue: RowValue = family.rowValue

  /** Whether a single window contains everything, limited only by retention. */
  private[windrow] final def holdsEverything: Boolean = family == SingleWindow

  /** Whether the end of a window is known when it opens. */
  private[windrow] final def hasFixedEnd: Boolean = family match {
    case _: Aligned | _: Run | _: Numbered | _: OffsetGrid => true
    case SingleWindow | _: MergingFamily | _: Several      => false
  }

  /** Whether a message can arrive after all its windows are closed (SEMANTICS R21). */
  private[windrow] final def canBeLate: Boolean = family match {
    case _: Aligned | _: GapFamily | _: Inherited | _: Run | _: OffsetGrid | _: Several => true
    case SingleWindow | _: Numbered | _: OffsetSessions                                 => false
  }

  /** Whether lateness is a number of offsets. */
  private[windrow] final def isLateByOffsets: Boolean = family match {
    case _: OffsetGrid => true
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Numbered | _: OffsetSessions |
        _: Several =>
      false
  }

  /** The lateness in event time; 0 if it is a number of offsets. */
  private[windrow] final def latenessInTime(stated: TimeSpan): Distance[Axis.Time] =
    if (isLateByOffsets) Distance.none else new Distance(stated.micros)

  /** The lateness in offsets; 0 if it is a time. */
  private[windrow] final def latenessInOffsets(stated: TimeSpan): Distance[Axis.Offset] =
    if (isLateByOffsets) new Distance(stated.micros) else Distance.none

  /** The order in which aggregates receive the messages of a window, if it matters. */
  private[windrow] final def order: ContentOrder = family match {
    case _: Numbered                                                                   => ContentOrder.ByArrival
    case _: OffsetFamily                                                               => ContentOrder.ByOffset
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Several => ContentOrder.ByEventTime
  }

  /** Whether each message has its own window, whose panes show the message. */
  private[windrow] final def isOfMessage: Boolean = family match {
    case _: MessageWindows => true
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: DistinctSets | _: Numbered | _: OffsetFamily |
        _: Several =>
      false
  }

  /** Whether its messages are panes of another operator. */
  private[windrow] final def takesPanes: Boolean = family match {
    case _: Inherited                                                                                   => true
    case _: Aligned | SingleWindow | _: GapFamily | _: Run | _: Numbered | _: OffsetFamily | _: Several => false
  }

  /** Whether it is several windows, so that panes show the name of theirs. */
  private[windrow] final def isNamed: Boolean = family match {
    case _: Several                                                                                       => true
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Numbered | _: OffsetFamily => false
  }

  /** Whether the number of rows decides which rows are in a window, so that a retraction would count as a row. */
  private[windrow] final def countsRows: Boolean = family match {
    case _: MessageWindowsByCount | _: Numbered | _: OffsetFamily                      => true
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Several => false
  }

  /** Whether progress is measured by the offsets of the source, across all keys. */
  private[windrow] final def goesByOffsets: Boolean = family match {
    case _: OffsetFamily                                                                             => true
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Numbered | _: Several => false
  }
}

/** The textual form of a kind of windows: in JSON `{"kind": "tumbling", "size": 60000000}`, in SQL `windrow_tumble(…,
  * size => INTERVAL 1 MINUTE)`.
  *
  * @param name
  *   name in JSON
  * @param fields
  *   fields in JSON, without its name
  * @param function
  *   function in SQL; None if another kind's function creates it, too
  * @param read
  *   creates the kind from its fields without checks; None if the reader has recorded a problem
  */
private[windrow] final case class WindowForm(
    name: String,
    fields: Seq[String],
    function: Option[WindowFunction],
    read: WindowFields => Option[WindowKind])

private[windrow] object WindowForm {
  def apply(name: String, function: String, sentence: String, fields: String*)(
      read: WindowFields => Option[WindowKind]): WindowForm =
    WindowForm(name, fields, Some(WindowFunction(function, fields, sentence)), read)
}

/** The SQL function of a kind of windows.
  *
  * @param sentence
  *   describes its windows in `DESCRIBE FUNCTION`
  * @param elsewhere
  *   problems of arguments that only another function has, but that users may expect here
  */
private[windrow] final case class WindowFunction(
    name: String,
    arguments: Seq[String],
    sentence: String,
    elsewhere: Map[String, SpecProblem] = Map.empty)
