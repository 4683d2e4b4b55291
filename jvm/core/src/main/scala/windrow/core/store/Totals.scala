package windrow.core.store

import windrow.SourcePartition
import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** Count and offsets of some messages, for the metadata of their window (SEMANTICS R22).
  *
  * @param offsets
  *   by source partition
  */
private[core] final case class Totals(count: Long, offsets: Map[SourcePartition, OffsetSpan]) {

  def and(other: Totals): Totals = Totals(
    count + other.count,
    other.offsets.foldLeft(offsets) { case (all, (of, range)) =>
      all.updated(of, all.get(of).fold(range)(_ span range))
    })

  def and(message: StoredMessage): Totals = Totals(
    count + 1,
    offsets ++ message.origin.map { from =>
      val self = OffsetSpan(from.offset, from.offset)
      from.partition -> offsets.get(from.partition).fold(self)(_ span self)
    })
}

private[core] object Totals extends Codec[Totals] {
  val Nothing: Totals = Totals(0, Map.empty)

  def of(messages: Iterator[StoredMessage]): Totals = messages.foldLeft(Nothing)(_ and _)

  def write(totals: Totals, out: ByteWriter): Unit = {
    out.count(totals.count)
    OffsetSpan.write(totals.offsets, out)
  }

  def read(in: ByteReader): Totals = Totals(in.count(), OffsetSpan.read(in))
}
