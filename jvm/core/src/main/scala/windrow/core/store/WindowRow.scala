package windrow.core.store

import java.nio.charset.StandardCharsets.UTF_8
import windrow.Timing
import windrow.core.operator.Firing
import windrow.core.operator.FiringCodec
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec

/** The smallest and the largest offset that a window accepted from one source partition. */
final case class OffsetRange(first: Long, last: Long) {
  def span(other: OffsetRange): OffsetRange = OffsetRange(math.min(first, other.first), math.max(last, other.last))
}

/** What is known of a window beside its messages (SEMANTICS R22).
  *
  * @param start
  *   inclusive; of a global window the least position
  * @param end
  *   exclusive; of a global window the greatest position
  * @param offsets
  *   by source and partition
  * @param count
  *   messages ever accepted
  * @param newest
  *   of its messages, in the order of the store; when this one leaves, so does the row
  * @param last
  *   timing of its last pane
  */
private[core] final case class WindowRow(
    start: Long,
    end: Long,
    offsets: Map[(String, Long), OffsetRange],
    count: Long,
    newest: Option[StoredMessage],
    last: Option[Timing],
    firing: Firing[Vector[StoredMessage]]) {

  def holds(time: Long): Boolean = start <= time && time < end
  def hasEnd: Boolean            = end != Long.MaxValue

  def counting(message: StoredMessage): WindowRow = copy(
    count = count + 1,
    newest = WindowRow.newestOf(newest ++ Seq(message.position)),
    offsets = offsets ++ message.origin.map { from =>
      val at   = (from.source, from.partition)
      val self = OffsetRange(from.offset, from.offset)
      at -> offsets.get(at).fold(self)(_ span self)
    })

  /** One message more that waits for a pane of this window. */
  def awaiting(message: StoredMessage, processingTime: Option[Long]): WindowRow = copy(firing = firing.copy(
    unsent = firing.unsent + 1,
    since = firing.since.orElse(processingTime),
    delta = Some(firing.delta.getOrElse(Vector.empty) :+ message)))

  /** The row after it has sent what waits. */
  def fired(timing: Timing): WindowRow = copy(
    last = Some(timing),
    firing = firing.copy(index = firing.index + 1, unsent = 0, since = None, delta = None))

  /** A session that takes the place of this one and others (SEMANTICS R84): what waits moves over to it. */
  def joined(others: Seq[WindowRow], start: Long, end: Long): WindowRow = {
    val all = this +: others
    WindowRow(
      start,
      end,
      all.flatMap(_.offsets).groupMapReduce(_._1)(_._2)(_ span _),
      all.map(_.count).sum,
      WindowRow.newestOf(all.flatMap(_.newest)),
      None,
      Firing(
        unsent = all.map(_.firing.unsent).sum,
        since = all.flatMap(_.firing.since).minOption,
        isPastOnTime = all.forall(_.firing.isPastOnTime),
        delta = Some(all.flatMap(_.firing.delta).flatten.toVector)))
  }
}

private[core] object WindowRow {
  def opened(start: Long, end: Long): WindowRow = WindowRow(start, end, Map.empty, 0, None, None, Firing())

  private def newestOf(messages: Iterable[StoredMessage]): Option[StoredMessage] =
    messages.maxOption(StoredMessage.Order)

  def codec(messages: Codec[StoredMessage]): Codec[WindowRow] = new Codec[WindowRow] {
    private val firings = new FiringCodec(new Codec[Vector[StoredMessage]] {
      def write(all: Vector[StoredMessage], out: ByteWriter): Unit = {
        out.count(all.size.toLong)
        all.foreach(messages.write(_, out))
      }
      def read(in: ByteReader): Vector[StoredMessage] = Vector.fill(in.count().toInt)(messages.read(in))
    })

    def write(row: WindowRow, out: ByteWriter): Unit = {
      out.long(row.start)
      out.long(row.end)
      out.count(row.offsets.size.toLong)
      row.offsets.toSeq.sortBy(_._1).foreach { case ((source, partition), range) =>
        out.bytes(source.getBytes(UTF_8))
        out.long(partition)
        out.long(range.first)
        out.long(range.last)
      }
      out.count(row.count)
      out.byte(if (row.newest.isDefined) 1 else 0)
      row.newest.foreach(messages.write(_, out))
      out.byte(row.last.fold(-1)(_.code.toInt))
      firings.write(row.firing, out)
    }

    def read(in: ByteReader): WindowRow = {
      val (start, end) = (in.long(), in.long())
      val offsets = Seq.fill(in.count().toInt) {
        (new String(in.bytes(), UTF_8), in.long()) -> OffsetRange(in.long(), in.long())
      }.toMap
      val count  = in.count()
      val newest = Option.when(in.byte() == 1)(messages.read(in))
      WindowRow(start, end, offsets, count, newest, Some(in.byte()).filter(_ >= 0).map(Timing(_)), firings.read(in))
    }
  }
}
