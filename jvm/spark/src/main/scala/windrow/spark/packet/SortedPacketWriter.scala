package windrow.spark.packet

import java.nio.ByteBuffer
import java.util.{ArrayList => JArrayList, Arrays, Comparator}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import windrow.core.state.ByteWriter

/** Writes many rows into one, in the order of the step: packet, shard, place of the first row.
  *
  * A task sorts its rows in runs that fit into memory and writes each run shard by shard. The shards merge the runs
  * ([[PacketMerge]]) and hold one packet of each.
  *
  * @param runBytes
  *   the minimum size of a run, except for the last one
  */
private[spark] final class SortedPacketWriter(
    packer: Packer,
    protected val shards: Int,
    runBytes: Int = SortedPacketWriter.RunBytes)
    extends RowWriter {
  import SortedPacketWriter._

  private val messages = new ByteWriter(1 << 12)
  private val placed   = Array.fill(shards)(new JArrayList[RunRow](0))
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
    placed(shard).add(new RunRow(place, from, messages.size))
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

  /** Fills a packet. Returns the index of the first row that is not in it. */
  private def fill(all: JArrayList[RunRow], from: Int): Int = {
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

  /** Small enough for the young generation, because a run lives only until it is written. */
  private val RunBytes = 1 << 20

  /** A row of a run. */
  private final class RunRow(val place: Array[Byte], val from: Int, val until: Int) {

    /** The first 8 bytes of the place, as an unsigned number. Missing bytes count as 0. */
    val start: Long = ByteBuffer.wrap(if (place.length < 8) Arrays.copyOf(place, 8) else place).getLong
  }

  /** Compares numbers before bytes, because comparing many short arrays costs more. */
  private val ByPlace: Comparator[RunRow] = (a, b) =>
    if (a.start != b.start) java.lang.Long.compareUnsigned(a.start, b.start)
    else Arrays.compareUnsigned(a.place, b.place)
}
