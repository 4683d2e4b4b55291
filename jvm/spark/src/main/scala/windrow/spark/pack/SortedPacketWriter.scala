package windrow.spark.pack

import java.util.{ArrayList => JArrayList}
import java.util.Comparator
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import windrow.core.state.ByteWriter

/** Many messages in one row, those of a packet in the order of the step: packet, shard, place of the first message.
  *
  * A task sorts what it has in runs that fit into memory, and writes each run from shard to shard; the shards merge the runs
  * ([[PacketMerge]]), of each of which they hold a packet.
  *
  * @param runBytes
  *   what a run takes up at least, unless it is the last one
  */
private[spark] final class SortedPacketWriter(
    packer: Packer,
    protected val shards: Int,
    runBytes: Int = SortedPacketWriter.RunBytes)
    extends RowWriter {
  import SortedPacketWriter._

  private val messages = new ByteWriter(1 << 12)
  private val placed   = Array.fill(shards)(new JArrayList[Placed](0))
  private val packet   = new ByteWriter(1 << 12)
  private val writer   = new UnsafeRowWriter(3, 256)

  protected def run(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    Iterator.continually(rows).takeWhile(_.hasNext).flatMap(sorted)

  private def sorted(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    messages.clear()
    placed.foreach(_.clear())
    while (rows.hasNext && messages.size < runBytes) add(rows.next())
    placed.foreach(_.sort(ByPlace))
    placed.indices.iterator.flatMap(packetsOf)
  }

  private def add(row: InternalRow): Unit = {
    val shard = packer.shard(row)
    val from  = messages.size
    val place = packer.write(row, messages)
    placed(shard).add(new Placed(place, from, messages.size))
    ()
  }

  private def packetsOf(shard: Int): Iterator[UnsafeRow] = {
    val all = placed(shard)
    Iterator.unfold(0)(from =>
      Option.when(from < all.size) {
        val until = fill(all, from)
        (rowOf(packet.array, packet.size, shard, all.get(from).place), until)
      })
  }

  /** Fills a packet; gives the number of the first message that is not in it. */
  private def fill(all: JArrayList[Placed], from: Int): Int = {
    packet.clear()
    var next = from
    while (next < all.size && packet.size < PacketWriter.MostBytes) {
      val message = all.get(next)
      PlacedPacket.put(packet, message.place, messages, message.from, message.until)
      next += 1
    }
    next
  }

  protected def notice(packet: Array[Byte], shard: Int): InternalRow =
    rowOf(packet, packet.length, shard, PlacedPacket.Anywhere)

  private def rowOf(packet: Array[Byte], size: Int, shard: Int, place: Array[Byte]): UnsafeRow = {
    writer.reset()
    writer.zeroOutNullBytes()
    writer.write(0, packet, 0, size)
    writer.write(1, shard)
    writer.write(2, place)
    writer.getRow
  }
}

private object SortedPacketWriter {

  /** Small enough for the young generation: a run lives until it is written. */
  private val RunBytes = 1 << 20

  /** A message of a run. */
  private final class Placed(val place: Array[Byte], val from: Int, val until: Int)

  private val ByPlace: Comparator[Placed] = (a, b) => java.util.Arrays.compareUnsigned(a.place, b.place)
}
