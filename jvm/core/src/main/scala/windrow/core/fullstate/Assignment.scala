package windrow.core.fullstate

import windrow._
import windrow.core.store.Incoming
import windrow.core.store.StoredMessage
import windrow.core.store.WindowId
import windrow.core.store.WindowRow
import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.Front
import windrow.core.time.Position.plus
import windrow.core.time.Watermark
import windrow.core.window.SliceGrid

/** Where a message goes among the windows of its key. */
private[fullstate] sealed trait Assignment

private[fullstate] object Assignment {

  /** It has no place on the axis of the windows. */
  case object Broken  extends Assignment
  case object Gap     extends Assignment
  case object TooLate extends Assignment

  /** @param put
    *   windows that come to be or are others now
    * @param first
    *   the earliest of these: with it the message comes out, once (SEMANTICS R6); None: there is none yet
    * @param replaced
    *   windows that are no more
    * @param found
    *   stored messages that had none, and the first that has come to hold them
    */
  final case class Enter(
      put: Seq[WindowRow],
      first: Option[WindowId],
      replaced: Seq[WindowRow] = Nil,
      found: Seq[(StoredMessage, WindowId)] = Nil)
      extends Assignment
}

/** What brings windows to their end. */
private[fullstate] sealed trait Pace

private[fullstate] object Pace {
  case object ByWatermark extends Pace

  /** Each message of a key, in gaps too, has a number. */
  case object ByNumbers extends Pace

  /** What the stream brings of their source partition. */
  case object ByOffsets extends Pace
}

/** Decides on the windows of one kind; keeps nothing. Positions are of its axis. */
private[fullstate] trait WindowAssigner {

  /** What its windows stand on. */
  type Of <: Axis

  /** @param state
    *   of the message's key, without the message
    * @param before
    *   what the message is judged by: the end of the step before
    */
  def place(state: KeyWindows, message: Incoming, time: Long, before: Reach): Assignment

  def pace: Pace

  /** How far the axis of windows has come.
    *
    * @param partition
    *   of windows on offsets
    */
  def reach(partition: Option[SourcePartition], state: KeyWindows, at: Reach): Front[Of]

  /** The same, seen from the step before. */
  def reachedBefore(partition: Option[SourcePartition], state: KeyWindows, before: Reach): Front[Of]

  /** How long after its end a window is complete. */
  def delay: Distance[Of]

  /** How long a complete window takes messages still. */
  def lateness: Distance[Of]

  /** What a message itself brings its windows to. */
  def reachOf(message: StoredMessage, state: KeyWindows): Front[Of]

  /** Where a window begins, as panes and queries show it. */
  def shownStart(id: WindowId, state: KeyWindows): Long

  /** Windows count the messages that are stored rather than each message as it comes: it may be in any number of windows. */
  def countsStored: Boolean

  /** A window that has counted the messages that it holds. */
  def counted(row: WindowRow, state: KeyWindows): WindowRow
}

/** What holds unless a kind says otherwise. */
private[fullstate] trait AssignerDefaults extends WindowAssigner {
  def reachedBefore(partition: Option[SourcePartition], state: KeyWindows, before: Reach): Front[Of] =
    reach(partition, state, before)
  def delay: Distance[Of]                                           = Distance.none
  def reachOf(message: StoredMessage, state: KeyWindows): Front[Of] = Front.none
  def shownStart(id: WindowId, state: KeyWindows): Long             = id.start
  def countsStored: Boolean                                         = false
  def counted(row: WindowRow, state: KeyWindows): WindowRow         = row
}

/** Of windows of event time. */
private[fullstate] trait TimeAssigner extends AssignerDefaults {
  final type Of = Axis.Time
  def pace: Pace                                                                         = Pace.ByWatermark
  def reach(partition: Option[SourcePartition], state: KeyWindows, at: Reach): Watermark = at.watermark
}

private[fullstate] object WindowAssigner {
  def apply(spec: FullStateSpec): WindowAssigner = {
    val lateness = spec.latenessInTime
    spec.window match {
      case aligned: AlignedWindows    => new AlignedAssigner(SliceGrid(aligned), lateness)
      case Session(gap)               => new SessionAssigner(gap.map(_.micros), lateness)
      case Global                     => new GlobalAssigner(spec.retention, lateness)
      case Sliding(size, granularity) => new SlidingAssigner(size.micros, granularity.micros, lateness)
      case over: Over                 => new OverAssigner(over, lateness)
      case Count(n, step)             => new CountAssigner(n, step)
      case OffsetRange(n, step)       => new OffsetAssigner(n, step, spec.startOffsets, spec.latenessInOffsets)
      case OffsetSession(n)           => new TupleSessionAssigner(n)
      case other                      => throw new IllegalArgumentException(s"full state does not support $other")
    }
  }

  /** Counts a message in windows that are there or come to be. */
  def counted(state: KeyWindows, message: StoredMessage, ids: Seq[WindowId]): Assignment =
    Assignment.Enter(
      ids.map(id => state.rows.get(id).getOrElse(WindowRow.opened(id)).counting(message)),
      ids.headOption)

  /** A window that has counted the stored messages in a closed range of event time; None: from the oldest on. */
  def counting(row: WindowRow, state: KeyWindows, from: Option[Long], to: Long): WindowRow = {
    val after = StoredMessage(state.key, plus(to, 1), None, Array.emptyByteArray)
    row.counted(state.messages.totals(from, to), state.messages.before(after).nextOption())
  }
}
