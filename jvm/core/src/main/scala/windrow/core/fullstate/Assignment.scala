package windrow.core.fullstate

import windrow.SourcePartition
import windrow.core.store.{Incoming, StoredMessage, WindowId, WindowRow}
import windrow.core.time.Position.plus
import windrow.core.time.{Axis, Distance, Front, Watermark}

/** The effect of a message on the windows of its key. */
private[fullstate] sealed trait Assignment

private[fullstate] object Assignment {

  /** The message has no position on the axis of the windows. */
  case object Broken  extends Assignment
  case object Gap     extends Assignment
  case object TooLate extends Assignment

  /** The message is accepted.
    *
    * @param put
    *   windows that were created or changed
    * @param first
    *   the earliest of them, with which the message is emitted once (SEMANTICS R6); None if there is none yet
    * @param replaced
    *   windows that were removed
    * @param found
    *   stored messages without a window until now, each with the first window that contains it
    */
  final case class Acceptance(
      put: Seq[WindowRow],
      first: Option[WindowId],
      replaced: Seq[WindowRow] = Nil,
      found: Seq[(StoredMessage, WindowId)] = Nil)
      extends Assignment
}

/** The progress by which windows complete. */
private[fullstate] sealed trait Pace

private[fullstate] object Pace {
  case object ByWatermark extends Pace

  /** The sum of the values of the messages of the key, including those in gaps. */
  case object ByNumbers extends Pace

  /** The offsets that the stream has read from their source partition. */
  case object ByOffsets extends Pace
}

/** Assigns messages to the windows of one kind. Stateless. Positions are on the axis of these windows. */
private[fullstate] trait WindowAssigner {

  /** The axis of the windows. */
  type Of <: Axis

  /** Assigns a message.
    *
    * @param state
    *   state of the message's key, without the message
    * @param before
    *   progress at the end of the previous step, by which the message is judged
    */
  def place(state: KeyWindows, message: Incoming, time: Long, before: AxisProgress): Assignment

  def pace: Pace

  /** The progress of the axis of windows.
    *
    * @param partition
    *   source partition, for windows on offsets
    */
  def reach(partition: Option[SourcePartition], state: KeyWindows, at: AxisProgress): Front[Of]

  /** The same progress at the end of the previous step. */
  def reachedBefore(partition: Option[SourcePartition], state: KeyWindows, before: AxisProgress): Front[Of]

  /** How far beyond its end the progress must be for a window to be complete. */
  def delay: Distance[Of]

  /** How long a complete window still accepts messages. */
  def lateness: Distance[Of]

  /** The progress that a message itself contributes for its windows. */
  def reachOf(message: StoredMessage, state: KeyWindows): Front[Of]

  /** The start of a window as panes and queries show it. */
  def shownStart(id: WindowId, state: KeyWindows): Long

  /** Whether windows count the stored messages when they close, instead of each message when it arrives. Used if a
    * message can be in any number of windows.
    */
  def countsStored: Boolean

  /** A window after counting the messages that it contains. */
  def counted(row: WindowRow, state: KeyWindows): WindowRow
}

/** Default implementations for most kinds of windows. */
private[fullstate] trait AssignerDefaults extends WindowAssigner {
  def reachedBefore(partition: Option[SourcePartition], state: KeyWindows, before: AxisProgress): Front[Of] =
    reach(partition, state, before)
  def delay: Distance[Of]                                           = Distance.none
  def reachOf(message: StoredMessage, state: KeyWindows): Front[Of] = Front.none
  def shownStart(id: WindowId, state: KeyWindows): Long             = id.start
  def countsStored: Boolean                                         = false
  def counted(row: WindowRow, state: KeyWindows): WindowRow         = row
}

/** Defaults for windows of event time. */
private[fullstate] trait TimeAssigner extends AssignerDefaults {
  final type Of = Axis.Time
  def pace: Pace                                                                                = Pace.ByWatermark
  def reach(partition: Option[SourcePartition], state: KeyWindows, at: AxisProgress): Watermark = at.watermark
}

private[fullstate] object WindowAssigner {

  /** Counts a message in these windows and creates those that do not exist. */
  def counted(state: KeyWindows, message: StoredMessage, ids: Seq[WindowId]): Assignment =
    Assignment.Acceptance(
      ids.map(id => state.rows.get(id).getOrElse(WindowRow.opened(id)).counting(message)),
      ids.headOption)

  /** A window after counting the stored messages in a closed range of event time; None starts at the oldest. */
  def counting(row: WindowRow, state: KeyWindows, from: Option[Long], to: Long): WindowRow = {
    val after = StoredMessage(state.key, plus(to, 1), None, Array.emptyByteArray)
    row.counted(state.messages.totals(from, to), state.messages.before(after).nextOption())
  }
}
