package windrow.core.store

import windrow.SourcePartition
import windrow.core.offsets.SourcePartitionCodec
import windrow.core.state.{ByteReader, ByteWriter}

/** The smallest and the largest offset that a window accepted from one source partition. */
final case class OffsetSpan(first: Long, last: Long) {
  def span(other: OffsetSpan): OffsetSpan = OffsetSpan(math.min(first, other.first), math.max(last, other.last))
}

object OffsetSpan {
  private[windrow] def write(ranges: Map[SourcePartition, OffsetSpan], out: ByteWriter): Unit = {
    out.count(ranges.size.toLong)
    ranges.toSeq.sortBy(_._1).foreach { case (of, range) =>
      SourcePartitionCodec.write(of, out)
      out.long(range.first)
      out.long(range.last)
    }
  }

  private[windrow] def read(in: ByteReader): Map[SourcePartition, OffsetSpan] = Seq.fill(in.size()) {
    SourcePartitionCodec.read(in) -> OffsetSpan(in.long(), in.long())
  }.toMap
}
