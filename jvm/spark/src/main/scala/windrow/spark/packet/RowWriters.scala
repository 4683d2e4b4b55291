package windrow.spark.packet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Predicate, UnsafeRow}
import windrow.core.state.ByteWriter

/** Writes rows for their shards. */
private[spark] trait Packer {

  /** Returns the shard of a row. Must be called before `write`. */
  def shard(row: InternalRow): Int

  /** Adds the row to a packet. Returns its place in the order of the step, or null. */
  def write(row: InternalRow, out: ByteWriter): Array[Byte]

  /** Returns how many input rows a row represents. */
  def count(row: InternalRow): Long = 1

  /** Whether a row marks the end of the input. */
  def isEnd: InternalRow => Boolean

  /** The packets for every shard, known once all rows are written. */
  def notices: Seq[Array[Byte]]

  /** Starts a new task and forgets the rows of the previous one. */
  def begin(): Unit
}

private[spark] object Packer {

  /** Returns the offsets that a task has seen. Ranges with gaps are only for windows that depend on offsets alone
    * (SEMANTICS R13, R72).
    */
  def notice(seen: SeenOffsets, goesByOffsets: Boolean): Seq[Array[Byte]] = {
    val told = seen.all.filter(_.isWhole || goesByOffsets)
    if (told.isEmpty) Nil else Seq(ProgressCodec.packet(told))
  }

  /** Creates the test for the end of the input.
    *
    * @param end
    *   empty if the input is unbounded
    */
  def isEnd(end: Seq[Expression], schema: Seq[Attribute]): InternalRow => Boolean =
    end.headOption.fold((_: InternalRow) => false) { flag =>
      val predicate = Predicate.create(flag, schema)
      predicate.eval
    }
}

private[spark] trait RowWriter {

  /** Packs rows. */
  protected def run(rows: Iterator[InternalRow]): Iterator[InternalRow]

  /** Creates a packet for a shard. It precedes the rows if they have an order. */
  protected def notice(packet: Array[Byte], shard: Int): InternalRow

  protected def shards: Int

  /** Returns all packets of a task: the packed rows, then the packets for every shard.
    *
    * @param count
    *   called with each input row
    */
  final def all(rows: Iterator[InternalRow], packer: Packer, count: InternalRow => Unit): Iterator[InternalRow] = {
    var isOver = false
    val messages = rows.filter { row =>
      val isEnd = packer.isEnd(row)
      if (isEnd) isOver = true else count(row)
      !isEnd
    }
    run(messages) ++ Iterator.single(()).flatMap { _ =>
      val packets = packer.notices ++ Option.when(isOver)(PacketFlag.TheEnd)
      packets.iterator.flatMap(packet => Iterator.range(0, shards).map(notice(packet, _)))
    }
  }
}

/** Writes many rows into one: packet, shard. The shuffle, its sort and its decoding cost far more per row than per
  * byte.
  */
private[spark] final class PacketWriter(packer: Packer, protected val shards: Int) extends RowWriter {
  private val packetBytes =
    math.max(PacketWriter.LeastBytes, math.min(PacketWriter.MostBytes, PacketWriter.TaskBytes / shards))
  private val packets = new Array[ByteWriter](shards)
  private val writer  = new UnsafeRowWriter(2, 256)

  protected def run(rows: Iterator[InternalRow]): Iterator[InternalRow] = new Iterator[InternalRow] {
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
      val row = rowOf(full, packets(full).array, packets(full).size)
      packets(full).clear()
      full = -1
      row
    }
  }

  protected def notice(packet: Array[Byte], shard: Int): InternalRow = rowOf(shard, packet, packet.length)

  private def rowOf(shard: Int, packet: Array[Byte], size: Int): UnsafeRow = {
    writer.reset()
    writer.zeroOutNullBytes()
    writer.write(0, packet, 0, size)
    writer.write(1, shard)
    writer.getRow
  }
}

private[spark] object PacketWriter {
  private val LeastBytes = 4 << 10
  val MostBytes          = 64 << 10
  private val TaskBytes  = 32 << 20
}
