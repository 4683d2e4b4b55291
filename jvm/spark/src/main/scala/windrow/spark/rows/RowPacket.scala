package windrow.spark.rows

import java.nio.ByteBuffer
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import windrow.core.state.{ByteReader, ByteWriter}

/** Stores rows of several kinds, preceded by counts, in one byte string. Separate rows would cost Spark far more than
  * their bytes do.
  *
  * The format is the number of counts, the counts with 8 bytes each, then for each row its kind (one byte), its size
  * and its bytes.
  */
object RowPacket {

  /** The size in bytes from which on a packet is full. */
  val Bytes: Int = 64 << 10

  /** Reads all counts of a packet, from its start. */
  def counts(packet: ByteReader): Array[Long] = Array.fill(packet.fitting(packet.byte().toLong))(packet.long())

  /** Returns the rows of one kind as a packet of another kind, without counts, or None if the packet lacks such rows.
    */
  def only(packet: ByteReader, kind: Int, as: Int): Option[Array[Byte]] = {
    counts(packet)
    val out = new ByteWriter(1 << 10)
    out.byte(0)
    while (packet.hasNext) {
      val isOf  = packet.byte().toInt == kind
      val start = packet.skipBytes()
      if (isOf) {
        out.byte(as)
        out.bytes(packet.array, start, packet.position - start)
      }
    }
    Option.when(out.size > 1)(out.result())
  }

  /** Writes packets.
    *
    * @param counts
    *   the number of counts of a packet
    */
  final class Writer(counts: Int) {
    private val out  = new ByteWriter(1 << 10)
    private val sums = new Array[Long](counts)
    clear()

    def isFull: Boolean = out.size >= Bytes

    def put(kind: Int, row: UnsafeRow): Unit = Rows.write(row, begin(kind))

    /** Starts a row of a kind whose size precedes it and returns the writer of its bytes. */
    private[spark] def begin(kind: Int): ByteWriter = {
      out.byte(kind)
      out
    }

    def add(count: Int, more: Long): Unit = sums(count) += more

    /** Returns everything that was written and counted since the last packet. */
    def result(): Array[Byte] = {
      val packet = out.result()
      ByteBuffer.wrap(packet, 1, 8 * counts).asLongBuffer().put(sums)
      clear()
      packet
    }

    private def clear(): Unit = {
      java.util.Arrays.fill(sums, 0L)
      out.clear()
      out.byte(counts)
      sums.foreach(out.long)
    }
  }

  /** Iterates over the rows of the requested kinds. `row` points at each in turn, in the packet's own bytes.
    *
    * @param in
    *   a packet
    * @param widths
    *   the number of columns of each kind
    */
  final class Reader(in: ByteReader, widths: Map[Int, Int]) {
    counts(in)

    private val wanted = Array.tabulate(widths.keys.max + 1)(kind => widths.get(kind).map(new UnsafeRow(_)).orNull)

    /** The kind of the row that was read last. */
    var kind = 0

    def row: UnsafeRow = wanted(kind)

    /** Advances to the next row. Returns false after the last one. */
    def next(): Boolean = {
      var found = false
      while (!found && in.hasNext) {
        kind = in.byte().toInt
        val start = in.skipBytes()
        if (kind < 0) throw in.damaged(s"rows of kind $kind do not exist")
        found = kind < wanted.length && wanted(kind) != null
        if (found) Rows.point(row, in.array, (Platform.BYTE_ARRAY_OFFSET + start).toLong, in.position - start)
      }
      found
    }
  }
}
