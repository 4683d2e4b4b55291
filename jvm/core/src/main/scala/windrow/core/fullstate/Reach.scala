package windrow.core.fullstate

import windrow.core.operator.Origin
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.store.PartCodec
import windrow.core.time.Watermark

/** How far the axes of windows have come: event time, and the offsets of each source partition. A watermark on the axis of
  * offsets is the offset that comes next.
  */
private[fullstate] final case class Reach(watermark: Watermark, offsets: Map[(String, Long), Watermark]) {

  def of(part: (String, Long)): Watermark =
    if (watermark.isEnd) watermark else offsets.getOrElse(part, Watermark.None)

  /** An offset was seen, whatever became of its message. */
  def seeing(origin: Origin): Reach = {
    val part = (origin.source, origin.partition)
    val next = Watermark(origin.offset + 1)
    copy(offsets = offsets.updated(part, offsets.get(part).fold(next)(_.max(next))))
  }

  def writeOffsets(out: ByteWriter): Unit = {
    out.count(offsets.size.toLong)
    offsets.toSeq.sortBy(_._1).foreach { case (part, reached) =>
      PartCodec.write(part, out)
      out.long(reached.micros)
    }
  }
}

private[fullstate] object Reach {
  def readOffsets(in: ByteReader): Map[(String, Long), Watermark] =
    Seq.fill(in.size())(PartCodec.read(in) -> Watermark(in.long())).toMap
}
