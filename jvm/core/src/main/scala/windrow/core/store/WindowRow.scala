package windrow.core.store

import windrow.Timing
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.trigger.PaneState
import windrow.core.trigger.PaneStateCodec

/** The smallest and the largest offset that a window accepted from one source partition. */
final case class OffsetRange(first: Long, last: Long) {
  def span(other: OffsetRange): OffsetRange = OffsetRange(math.min(first, other.first), math.max(last, other.last))
}

object OffsetRange {
  private[windrow] def write(ranges: Map[(String, Long), OffsetRange], out: ByteWriter): Unit = {
    out.count(ranges.size.toLong)
    ranges.toSeq.sortBy(_._1).foreach { case (part, range) =>
      PartCodec.write(part, out)
      out.long(range.first)
      out.long(range.last)
    }
  }

  private[windrow] def read(in: ByteReader): Map[(String, Long), OffsetRange] = Seq.fill(in.size()) {
    PartCodec.read(in) -> OffsetRange(in.long(), in.long())
  }.toMap
}

/** A window among those of its key.
  *
  * @param start
  *   inclusive; of a global window the least position
  * @param end
  *   exclusive; of a global window the greatest position
  * @param part
  *   source and partition, of windows on offsets
  * @param message
  *   whose window it is (`Over`); then it begins and ends with it, whatever it shows
  */
private[core] final case class WindowId(
    start: Long,
    end: Long,
    part: Option[(String, Long)] = None,
    message: Option[StoredMessage] = None)

private[core] object WindowId {

  private val Parts: Ordering[Option[(String, Long)]]   = Ordering.Option(Ordering.Tuple2[String, Long])
  private val Messages: Ordering[Option[StoredMessage]] = Ordering.Option(StoredMessage.Order)

  /** Windows on offsets stand by their partitions. */
  implicit val Order: Ordering[WindowId] = (a, b) => {
    val byPart = Parts.compare(a.part, b.part)
    if (byPart != 0) byPart
    else if (a.start != b.start) java.lang.Long.compare(a.start, b.start)
    else if (a.end != b.end) java.lang.Long.compare(a.end, b.end)
    else Messages.compare(a.message, b.message)
  }

  def codec(messages: Codec[StoredMessage]): Codec[WindowId] = new Codec[WindowId] {
    private val parts = Codec.option(PartCodec)
    private val ofs   = Codec.option(messages)

    def write(id: WindowId, out: ByteWriter): Unit = {
      out.long(id.start)
      out.long(id.end)
      parts.write(id.part, out)
      ofs.write(id.message, out)
    }

    def read(in: ByteReader): WindowId = WindowId(in.long(), in.long(), parts.read(in), ofs.read(in))
  }
}

/** What is known of a window beside its messages (SEMANTICS R22).
  *
  * @param offsets
  *   by source and partition
  * @param count
  *   messages ever accepted
  * @param oldest
  *   least event time of these, from which on retention takes nothing while the window is open
  * @param newest
  *   of its messages, in the order of the store; when this one leaves, so does the row
  * @param last
  *   timing of its last pane
  */
private[core] final case class WindowRow(
    id: WindowId,
    offsets: Map[(String, Long), OffsetRange],
    count: Long,
    oldest: Long,
    newest: Option[StoredMessage],
    last: Option[Timing],
    paneState: PaneState[Unsent[StoredMessage]]) {

  def start: Long = id.start
  def end: Long   = id.end

  def hasEnd: Boolean = end != Long.MaxValue

  def counting(message: StoredMessage): WindowRow = copy(
    count = count + 1,
    oldest = math.min(oldest, message.time),
    newest = WindowRow.newestOf(newest ++ Seq(message.position)),
    offsets = offsets ++ message.origin.map { from =>
      val at   = (from.source, from.partition)
      val self = OffsetRange(from.offset, from.offset)
      at -> offsets.get(at).fold(self)(_ span self)
    })

  /** One message more that waits for a pane of this window. */
  def awaiting(message: StoredMessage, processingTime: Option[Long]): WindowRow = copy(paneState = paneState.copy(
    unsent = paneState.unsent + 1,
    since = paneState.since.orElse(processingTime),
    delta = Some(paneState.delta.getOrElse(new Unsent[StoredMessage]).add(message))))

  /** Before the first processing time a period counts from the first that is seen (SEMANTICS R14). */
  def begun(processingTime: Option[Long]): WindowRow = {
    val now = paneState.begun(processingTime)
    if (now eq paneState) this else copy(paneState = now)
  }

  /** The row after it has sent what waits. */
  def fired(timing: Timing): WindowRow = copy(
    last = Some(timing),
    paneState = paneState.copy(index = paneState.index + 1, unsent = 0, since = None, delta = None))

  /** A session that takes the place of this one and others (SEMANTICS R84): what waits moves over to it.
    *
    * @param isComplete
    *   without what is still to come: else it is open again, and has an ON_TIME to come (SEMANTICS R79)
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
  def opened(id: WindowId): WindowRow = WindowRow(id, Map.empty, 0, Long.MaxValue, None, None, PaneState())

  private def newestOf(messages: Iterable[StoredMessage]): Option[StoredMessage] =
    messages.maxOption(StoredMessage.Order)

  def codec(messages: Codec[StoredMessage], unsent: Unsent.Stored[StoredMessage]): Codec[WindowRow] =
    new Codec[WindowRow] {
      private val ids        = WindowId.codec(messages)
      private val newest     = Codec.option(messages)
      private val paneStates = new PaneStateCodec(unsent)

      def write(row: WindowRow, out: ByteWriter): Unit = {
        ids.write(row.id, out)
        OffsetRange.write(row.offsets, out)
        out.count(row.count)
        out.long(row.oldest)
        newest.write(row.newest, out)
        out.byte(row.last.fold(-1)(_.code.toInt))
        paneStates.write(row.paneState, out)
      }

      def read(in: ByteReader): WindowRow =
        WindowRow(
          ids.read(in),
          OffsetRange.read(in),
          in.count(),
          in.long(),
          newest.read(in),
          Some(in.byte()).filter(_ >= 0).map(Timing(_)),
          paneStates.read(in))
    }
}
