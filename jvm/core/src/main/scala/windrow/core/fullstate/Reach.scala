package windrow.core.fullstate

import windrow.SourcePartition
import windrow.core.operator.Origin
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.SourcePartitionCodec
import windrow.core.time.Watermark

/** How far the axes of windows have come: event time, and the offsets of each source partition. A watermark on the axis of
  * offsets is the offset that comes next.
  */
private[fullstate] final case class Reach(watermark: Watermark, offsets: Map[SourcePartition, Watermark]) {

  def of(partition: SourcePartition): Watermark =
    if (watermark.isEnd) watermark else offsets.getOrElse(partition, Watermark.None)

  /** An offset was seen, whatever became of its message. */
  def seeing(origin: Origin): Reach = {
    val next = Watermark(origin.offset + 1)
    copy(offsets = offsets.updated(origin.partition, offsets.get(origin.partition).fold(next)(_.max(next))))
  }

  def writeOffsets(out: ByteWriter): Unit = {
    out.count(offsets.size.toLong)
    offsets.toSeq.sortBy(_._1).foreach { case (partition, reached) =>
      SourcePartitionCodec.write(partition, out)
      out.long(reached.micros)
    }
  }
}

private[fullstate] object Reach {
  def readOffsets(in: ByteReader): Map[SourcePartition, Watermark] =
    Seq.fill(in.size())(SourcePartitionCodec.read(in) -> Watermark(in.long())).toMap
}
