package windrow.core.state

import java.nio.ByteBuffer
import scala.util.Random

/** Changes one stored value of a shard in random places, with a checksum that fits: what only decoding can find. */
object Damage {
  def apply(store: InMemoryShardStore, random: Random): InMemoryShardStore = {
    val copy   = store.snapshot
    val values = copy.entries.toIndexedSeq.sortBy { case (space, id, _) => (space, id) }
    val at     = random.nextInt(values.size + 1)
    if (at < values.size) {
      val (space, id, bytes) = values(at)
      copy.space(space).put(id, changed(bytes, random))
    } else copy.putHeader(changed(copy.header, random))
    copy
  }

  /** Other content under a checksum that fits. */
  def changed(bytes: Array[Byte], random: Random): Array[Byte] = {
    val content = bytes.length - ByteWriter.Frame
    val out     = if (random.nextInt(8) == 0) bytes.take(ByteWriter.Frame + random.nextInt(content)) else bytes.clone()
    val length  = out.length - 4
    (0 to random.nextInt(3)).map(_ => 1 + random.nextInt(content)).filter(_ < length).foreach { at =>
      out(at) = random.nextInt(4) match {
        case 0 => -1
        case 1 => random.nextInt().toByte
        case _ => (out(at) ^ (1 << random.nextInt(8))).toByte
      }
    }
    ByteBuffer.wrap(out).putInt(length, ByteWriter.checksum(out, length))
    out
  }
}
