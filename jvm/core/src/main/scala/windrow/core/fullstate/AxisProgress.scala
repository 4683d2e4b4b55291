package windrow.core.fullstate

import windrow.SourcePartition
import windrow.core.offsets.SourcePartitionCodec
import windrow.core.operator.Origin
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.core.time.{Axis, Front, Offset, Watermark}

/** The progress of all axes: event time, and the offsets of each source partition. */
private[fullstate] final case class AxisProgress(
    watermark: Watermark,
    offsets: Map[SourcePartition, Front[Axis.Offset]]) {

  def of(partition: SourcePartition): Front[Axis.Offset] =
    if (watermark.isEnd) Front.end else offsets.getOrElse(partition, Front.none)

  /** The progress after an offset was seen, even if its message was rejected. */
  def seeing(origin: Origin): AxisProgress = {
    val next = Front.past(Offset(origin.offset))
    copy(offsets = offsets.updated(origin.partition, offsets.get(origin.partition).fold(next)(_.max(next))))
  }

  def writeOffsets(out: ByteWriter): Unit = {
    out.count(offsets.size.toLong)
    offsets.toSeq.sortBy(_._1).foreach { case (partition, reached) =>
      SourcePartitionCodec.write(partition, out)
      out.long(reached.at)
    }
  }
}

private[fullstate] object AxisProgress {
  def readOffsets(in: ByteReader): Map[SourcePartition, Front[Axis.Offset]] =
    Seq.fill(in.size())(SourcePartitionCodec.read(in) -> Front[Axis.Offset](in.long())).toMap
}
