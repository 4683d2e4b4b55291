package windrow.core.store

import windrow.core.offsets.SourcePartitionCodec
import windrow.core.state.{ByteReader, ByteWriter, Codec}
import windrow.core.time.{Bounds, EventTime, Position}
import windrow.core.trigger.{PaneState, PaneStateCodec}
import windrow.{SourcePartition, Timing}

/** Identifies a window among those of its key.
  *
  * @param start
  *   inclusive; the least position for a global window
  * @param end
  *   exclusive; the greatest position for a global window
  * @param partition
  *   source partition, for windows on offsets
  * @param message
  *   the message that owns the window (`Over`); the window is removed with it, whatever its bounds
  */
private[core] final case class WindowId(
    start: Long,
    end: Long,
    partition: Option[SourcePartition] = None,
    message: Option[StoredMessage] = None)

private[core] object WindowId {

  private val Partitions: Ordering[Option[SourcePartition]] = Ordering.Option(SourcePartition.Order)
  private val Messages: Ordering[Option[StoredMessage]]     = Ordering.Option(StoredMessage.Order)

  /** Windows on offsets are ordered by partition first. */
  implicit val Order: Ordering[WindowId] = (a, b) => {
    val byPartition = Partitions.compare(a.partition, b.partition)
    if (byPartition != 0) byPartition
    else if (a.start != b.start) java.lang.Long.compare(a.start, b.start)
    else if (a.end != b.end) java.lang.Long.compare(a.end, b.end)
    else Messages.compare(a.message, b.message)
  }

  def codec(messages: Codec[StoredMessage]): Codec[WindowId] = new Codec[WindowId] {
    private val partitions = Codec.option(SourcePartitionCodec)
    private val ofs        = Codec.option(messages)

    def write(id: WindowId, out: ByteWriter): Unit = {
      out.long(id.start)
      out.long(id.end)
      partitions.write(id.partition, out)
      ofs.write(id.message, out)
    }

    def read(in: ByteReader): WindowId = WindowId(in.long(), in.long(), partitions.read(in), ofs.read(in))
  }
}

/** The metadata of a window in full state, without its messages (SEMANTICS R22).
  *
  * @param offsets
  *   by source partition
  * @param count
  *   number of messages ever accepted; 0 if all of them are stored, and are counted when the window closes or is
  *   queried
  * @param oldest
  *   least event time of these messages; retention removes nothing from here on while the window is open
  * @param newest
  *   the last of its messages in the order of the store; the row is removed with it
  * @param last
  *   timing of its last pane
  */
private[core] final case class WindowRow(
    id: WindowId,
    offsets: Map[SourcePartition, OffsetSpan],
    count: Long,
    oldest: Long,
    newest: Option[StoredMessage],
    last: Option[Timing],
    paneState: PaneState[UnsentMessages[StoredMessage]]) {

  def start: Long    = id.start
  def end: Long      = id.end
  def bounds: Bounds = Bounds(start, end)

  def hasEnd: Boolean = end != Position.Greatest

  def counting(message: StoredMessage): WindowRow = copy(
    count = count + 1,
    oldest = math.min(oldest, message.time),
    newest = WindowRow.newestOf(newest ++ Seq(message.position)),
    offsets = offsets ++ message.origin.map { from =>
      val self = OffsetSpan(from.offset, from.offset)
      from.partition -> offsets.get(from.partition).fold(self)(_ span self)
    })

  def isCounted: Boolean = count > 0

  /** @param newest
    *   last of the messages of these totals
    */
  def counted(totals: Totals, newest: Option[StoredMessage]): WindowRow =
    copy(count = totals.count, offsets = totals.offsets, newest = newest.map(_.position))

  /** Adds a message that waits for a pane of this window. */
  def awaiting(message: StoredMessage, processingTime: Option[Long]): WindowRow = copy(paneState = paneState.copy(
    unsent = paneState.unsent + 1,
    since = paneState.since.orElse(processingTime),
    delta = Some(paneState.delta.getOrElse(new UnsentMessages[StoredMessage]).add(message)),
    isTouched = true))

  /** The row with a started period if that waited for the first processing time (SEMANTICS R14). */
  def begun(processingTime: Option[Long]): WindowRow = {
    val now = paneState.begun(processingTime)
    if (now eq paneState) this else copy(paneState = now)
  }

  /** The row after a pane with all waiting messages. */
  def fired(timing: Timing): WindowRow = copy(
    last = Some(timing),
    paneState = paneState.copy(index = paneState.index + 1, unsent = 0, since = None, delta = None, isTouched = false))

  /** A session that replaces this one and others (SEMANTICS R84) and takes over their waiting messages.
    *
    * @param isComplete
    *   whether the session is complete before its new message is added; otherwise it is open again and will fire on
    *   time (SEMANTICS R79)
    */
  def joined(others: Seq[WindowRow], id: WindowId, isComplete: Boolean): WindowRow = {
    val all = this +: others
    WindowRow(
      id,
      all.flatMap(_.offsets).groupMapReduce(_._1)(_._2)(_ span _),
      all.map(_.count).sum,
      all.map(_.oldest).min,
      WindowRow.newestOf(all.flatMap(_.newest)),
      None,
      PaneState(
        unsent = all.map(_.paneState.unsent).sum,
        since = all.flatMap(_.paneState.since).minOption,
        isPastOnTime = isComplete && all.forall(_.paneState.isPastOnTime),
        delta = all.flatMap(_.paneState.delta).reduceOption(_ and _)))
  }
}

private[core] object WindowRow {
  def opened(id: WindowId): WindowRow = opened(id, EventTime.Max)

  /** @param oldest
    *   lower bound of the event times of its messages
    */
  def opened(id: WindowId, oldest: Long): WindowRow = WindowRow(id, Map.empty, 0, oldest, None, None, PaneState())

  private def newestOf(messages: Iterable[StoredMessage]): Option[StoredMessage] =
    messages.maxOption(StoredMessage.Order)

  def codec(messages: Codec[StoredMessage], unsent: UnsentMessages.UnsentCodec[StoredMessage]): Codec[WindowRow] =
    new Codec[WindowRow] {
      private val ids        = WindowId.codec(messages)
      private val newest     = Codec.option(messages)
      private val paneStates = new PaneStateCodec(unsent)

      def write(row: WindowRow, out: ByteWriter): Unit = {
        ids.write(row.id, out)
        OffsetSpan.write(row.offsets, out)
        out.count(row.count)
        out.long(row.oldest)
        newest.write(row.newest, out)
        out.byte(row.last.fold(-1)(_.code.toInt))
        paneStates.write(row.paneState, out)
      }

      def read(in: ByteReader): WindowRow =
        WindowRow(
          ids.read(in),
          OffsetSpan.read(in),
          in.count(),
          in.long(),
          newest.read(in),
          Some(in.byte()).filter(_ >= 0).map(Timing(_)),
          paneStates.read(in))
    }
}
