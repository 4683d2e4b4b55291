package windrow.spark.pack

import java.nio.ByteBuffer
import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.Full
import windrow.core.state.ByteWriter
import windrow.spark.packet.{Packer, PacketFlag, PacketMerge, SortedPacketWriter}

/** Tests that the output of a task arrives at each shard in the order of the step, for runs of any size (SEMANTICS T3).
  */
final class SortedPacketWriterSuite extends AnyFunSuite {
  private val size   = if (Full.isFull) 1000000 else 50000
  private val shards = 5

  private final class Numbers extends Packer {
    def shard(row: InternalRow): Int = Math.floorMod(java.lang.Long.hashCode(row.getLong(0) * 31), shards)
    def write(row: InternalRow, out: ByteWriter): Array[Byte] = {
      out.long(row.getLong(0))
      ByteBuffer.allocate(8).putLong(row.getLong(0)).array
    }
    def isEnd: InternalRow => Boolean = row => row.getLong(0) < 0
    def notices: Seq[Array[Byte]]     = Seq(Array[Byte](77))
    def begin(): Unit                 = ()
  }

  for (runBytes <-
      Seq(1, 1000, 1 << 25);
    ordered <- Seq(true, false))
    test(
      s"messages ${if (ordered) "in order" else "in none"}, runs of $runBytes bytes, and what every shard must know") {
      val random  = new Random(runBytes)
      val numbers = Vector.tabulate(if (runBytes == 1) 2000 else size)(_.toLong)
      val coming  = if (ordered) numbers else random.shuffle(numbers)
      val packer  = new Numbers
      val rows    = (coming :+ -1L).iterator.map(number => InternalRow(number))
      val written = new SortedPacketWriter(packer, shards, runBytes).all(rows, packer, _ => ()).map(_.copy()).toVector
      (0 until shards).foreach { shard =>
        val placed = written.filter(_.getInt(1) == shard).map(row => (row.getBinary(0), row.getBinary(2)))
          .sortWith((a, b) => java.util.Arrays.compareUnsigned(a._2, b._2) < 0)
        val (notices, packets) = PacketMerge.inOrder(placed.iterator, shard).toVector.splitAt(2)
        assert(notices.map(_.toSeq) == Vector(Seq[Byte](77), PacketFlag.TheEnd.toSeq))
        val found = packets.flatMap(bytes => bytes.grouped(8).map(ByteBuffer.wrap(_).getLong()))
        assert(found == numbers.filter(number => packer.shard(InternalRow(number)) == shard))
      }
      if (runBytes > 1000) assert(written.size < 100, "many messages travel in a row")
    }
}
