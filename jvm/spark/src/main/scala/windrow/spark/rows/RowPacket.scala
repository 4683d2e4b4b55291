package windrow.spark.rows

import java.nio.ByteBuffer
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** Rows of several kinds in one byte string, behind some counts: a row of its own costs Spark far more than its bytes do.
  *
  * How many counts, and the counts, 8 bytes each; then of each row its kind, a byte, its size and its bytes.
  */
object RowPacket {

  /** A packet that has as many is full. */
  val Bytes: Int = 64 << 10

  /** All counts of a packet of which nothing has been read. */
  def counts(packet: ByteReader): Array[Long] = Array.fill(packet.fitting(packet.byte().toLong))(packet.long())

  /** The rows of one kind as a packet of another kind, without counts; None if the packet has none of them. */
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

  /** @param counts
    *   how many a packet has
    */
  final class Writer(counts: Int) {
    private val out  = new ByteWriter(1 << 10)
    private val sums = new Array[Long](counts)
    clear()

    def isFull: Boolean = out.size >= Bytes

    def put(kind: Int, row: UnsafeRow): Unit = Rows.write(row, begin(kind))

    /** Where a row of a kind is to be written, behind its size. */
    private[spark] def begin(kind: Int): ByteWriter = {
      out.byte(kind)
      out
    }

    def add(count: Int, more: Long): Unit = sums(count) += more

    /** What was written and counted since the last packet. */
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

  /** The rows of the kinds that are asked for; `row` stands for each in turn, in the packet's own bytes.
    *
    * @param in
    *   a packet
    * @param widths
    *   of the kinds: how many columns its rows have
    */
  final class Reader(in: ByteReader, widths: Map[Int, Int]) {
    counts(in)

    private val wanted = Array.tabulate(widths.keys.max + 1)(kind => widths.get(kind).map(new UnsafeRow(_)).orNull)

    /** Of the row that was read last. */
    var kind = 0

    def row: UnsafeRow = wanted(kind)

    /** Goes on to the next row; false: there is none. */
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
