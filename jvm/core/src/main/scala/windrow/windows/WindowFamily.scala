package windrow

import windrow.core.grid.SliceGrid
import windrow.core.time.Axis

/** Determines how the windows of a kind are formed. Each kind belongs to one family. Checks, operators, and texts match
  * on the family alone. Families are sealed, so the compiler names each place that must handle a new one.
  */
private[windrow] sealed abstract class WindowFamily(val bounds: WindowBounds) {

  /** The value that a row brings to its windows. */
  def rowValue: RowValue = RowValue.NoValue
}

/** The grid on which the windows of an aligned kind lie. */
private[windrow] trait TimeGrid extends Serializable {

  /** The grid; defined only if the kind has no problems. */
  private[windrow] def grid: SliceGrid[Axis.Time]

  /** The greatest distance between the ends of two consecutive windows; None if no duration can be that long. */
  private[windrow] def longestStep: Option[TimeSpan]
}

private[windrow] object WindowFamily {

  /** A family whose windows a side of a join can have (SEMANTICS R36). */
  sealed trait SideFamily extends WindowFamily

  /** A family that full state supports. */
  sealed trait FullStateFamily extends WindowFamily

  /** A family in which messages can merge windows or retract one. */
  sealed trait MergingFamily extends WindowFamily

  /** Windows that depend on time alone and are the same for every key. */
  final case class Aligned(windows: TimeGrid) extends WindowFamily(HalfOpen) with SideFamily with FullStateFamily {
    def grid: SliceGrid[Axis.Time] = windows.grid
  }

  /** A single window that contains everything, limited only by retention. */
  case object SingleWindow extends WindowFamily(Unbounded) with SideFamily with FullStateFamily

  /** Windows that contain the messages of a key that are near each other in time. */
  sealed trait GapFamily extends WindowFamily with MergingFamily {

    /** None if every message has its own gap. */
    def gap: Option[TimeSpan]

    override def rowValue: RowValue = RowValue.Duration(gap)
  }

  /** Sessions that only a gap ends. */
  final case class Sessions(gap: Option[TimeSpan]) extends WindowFamily(HalfOpen) with GapFamily with FullStateFamily

  /** Sessions that end by more than a gap. Their rows are stored, because a row can divide a session.
    *
    * @param maxLength
    *   the greatest length of a session
    * @param endsWith
    *   an SQL expression; a message for which it is true ends its session
    * @param split
    *   SQL expressions whose change begins another session
    */
  final case class CutSessions(
      gap: Option[TimeSpan],
      maxLength: Option[TimeSpan],
      endsWith: Option[String],
      split: Seq[String])
      extends WindowFamily(HalfOpen)
      with GapFamily {

    /** Whether it depends on more than the times of messages. */
    def isMarked: Boolean = endsWith.isDefined || split.nonEmpty
  }

  /** The windows of panes of another operator, which are the messages.
    *
    * @param column
    *   the column of the panes that contains their window
    */
  final case class Inherited(column: String) extends WindowFamily(HalfOpen) with MergingFamily

  /** Windows formed from the times of a key's messages. */
  sealed trait Run extends WindowFamily with FullStateFamily

  /** One window for each distinct set of messages (KIP-450). */
  final case class DistinctSets(size: TimeSpan, granularity: TimeSpan) extends WindowFamily(Closed) with Run

  /** One window for each message, which ends at it and whose panes show it. */
  sealed trait MessageWindows extends Run

  final case class MessageWindowsByTime(range: TimeSpan) extends WindowFamily(Closed) with MessageWindows
      with SideFamily
  final case class MessageWindowsByCount(rows: Long) extends WindowFamily(Closed) with MessageWindows
  case object MessageWindowsFromFirst                extends WindowFamily(Closed) with MessageWindows with SideFamily

  /** Windows by the sequence numbers of a key's messages, in order of acceptance. The number of a message is the sum of
    * the values of the messages before it.
    */
  final case class Numbered(n: Long, step: Long, override val rowValue: RowValue)
      extends WindowFamily(Positions)
      with FullStateFamily

  /** Windows on the offsets of a source partition. */
  sealed trait OffsetFamily extends WindowFamily with FullStateFamily

  final case class OffsetGrid(n: Long, step: Long) extends WindowFamily(Positions) with OffsetFamily with SideFamily

  /** @param n
    *   the greatest number of consecutive offsets without the key in a session
    */
  final case class OffsetSessions(n: Long) extends WindowFamily(Positions) with OffsetFamily with MergingFamily

  /** Several windows over the same rows. Each is aligned, or a session with one gap for all rows. */
  final case class Several(families: Seq[WindowFamily]) extends WindowFamily(HalfOpen) {

    /** The gaps of the sessions among them, in microseconds. */
    def gaps: Seq[Long] = families.collect { case Sessions(Some(gap)) => gap.micros }

    override def rowValue: RowValue = RowValue.LongestGap(gaps.maxOption.getOrElse(0L))
  }
}
