package windrow.spark.pack

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import windrow.core.state.ByteWriter

/** Writes rows for their shards. */
private[pack] trait Packer {

  /** The shard of a row; to be asked before `write`. */
  def shard(row: InternalRow): Int

  /** Adds the row to a packet; gives its place in the order of the step, or null. */
  def write(row: InternalRow, out: ByteWriter): Array[Byte]
}

private[pack] trait PackLane {
  def run(rows: Iterator[InternalRow]): Iterator[InternalRow]
}

/** One row for each message: packet, shard, order. Where windows are on offsets every shard gets, before its messages, a
  * packet with the offsets that this task has seen.
  */
private[pack] final class RowLane(packer: EntryPacker) extends PackLane {
  private val writer = new UnsafeRowWriter(3, 256)
  private val packet = new ByteWriter()

  def run(rows: Iterator[InternalRow]): Iterator[InternalRow] = rows.map { row =>
    packet.clear()
    val shard = packer.shard(row)
    val order = packer.write(row, packet)
    written(shard, order)
  } ++ Iterator.single(()).flatMap { _ =>
    if (packer.seen.isEmpty) Iterator.empty
    else {
      packet.clear()
      ProgressCodec.write(packet, packer.seen)
      Iterator.range(0, packer.shards).map(written(_, RowLane.First))
    }
  }

  private def written(shard: Int, order: Array[Byte]): InternalRow = {
    writer.reset()
    writer.zeroOutNullBytes()
    writer.write(0, packet.result())
    writer.write(1, shard)
    writer.write(2, order)
    writer.getRow
  }
}

private object RowLane {

  /** Before every message. */
  private val First = Array.emptyByteArray
}

/** Many messages in one row: packet, shard. A row costs the shuffle, its sort and its decoding far more than bytes do. */
private[pack] final class PacketLane(packer: Packer, shards: Int) extends PackLane {
  private val packetBytes =
    math.max(PacketLane.LeastBytes, math.min(PacketLane.MostBytes, PacketLane.TaskBytes / shards))
  private val packets = new Array[ByteWriter](shards)
  private val writer  = new UnsafeRowWriter(2, 256)

  def run(rows: Iterator[InternalRow]): Iterator[InternalRow] = new Iterator[InternalRow] {
    private var full    = -1
    private var drained = 0

    def hasNext: Boolean = {
      while (full < 0 && rows.hasNext) add(rows.next())
      while (full < 0 && drained < shards) {
        if (packets(drained) != null && packets(drained).size > 0) full = drained
        drained += 1
      }
      full >= 0
    }

    private def add(row: InternalRow): Unit = {
      val shard = packer.shard(row)
      if (packets(shard) == null) packets(shard) = new ByteWriter(256)
      packer.write(row, packets(shard))
      if (packets(shard).size >= packetBytes) full = shard
    }

    def next(): InternalRow = {
      if (!hasNext) throw new NoSuchElementException("no packet is left")
      val row = rowOf(full, packets(full))
      full = -1
      row
    }
  }

  private def rowOf(shard: Int, packet: ByteWriter): UnsafeRow = {
    writer.reset()
    writer.zeroOutNullBytes()
    writer.write(0, packet.result())
    writer.write(1, shard)
    packet.clear()
    writer.getRow
  }
}

private[pack] object PacketLane {
  private val LeastBytes = 4 << 10
  private val MostBytes  = 64 << 10
  private val TaskBytes  = 32 << 20
}
