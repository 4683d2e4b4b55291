package windrow.spark.packet

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.Full
import windrow.core.state.{ByteWriter, Damage}

/** Tests that a shard receives the rows of a step in their order, or fails (SEMANTICS T3). */
final class PacketMergeSuite extends AnyFunSuite {
  import PacketMergeSuite._

  private def packet(places: Seq[Int]*): PlacedPacket.Type = packetOf(places.map(_.map(_.toByte).toArray -> 1L))
  private val notice: PlacedPacket.Type                    = (Array[Byte](1), PlacedPacket.Anywhere)

  private def taken(packets: PlacedPacket.Type*): Int =
    PacketMerge.inOrder(packets.iterator, 3).map(_.length).sum

  test("places that never fall, as unsigned bytes") {
    assert(taken(
      notice,
      notice,
      packet(Seq(0), Seq(0, 1)),
      packet(Seq(0, 1), Seq(127), Seq(-128)),
      packet(Seq(-128))) == 2 + 6 * 8)
  }

  test("a message after a later one, and a packet before all messages after one, raise an error that names them") {
    Seq(
      Seq(packet(Seq(0, 2)), packet(Seq(0, 1))),
      Seq(packet(Seq(-1)), packet(Seq(1))),
      Seq(packet(Seq(5)), notice),
      Seq(packet(Seq(1), Seq(-1), Seq(2)), packet(Seq(4)))).foreach { wrong =>
      val refused = intercept[IllegalStateException](taken(wrong: _*))
      assert(refused.getMessage.startsWith("[ORDER_BROKEN] Shard 3 "))
    }
  }

  private val size = if (Full.isFull) 1000000 else 30000

  for (runs <- Seq(1, 2, 7, 60); spread <- Seq(0, 20, 1000000))
    test(s"messages of $runs runs that come up to $spread out of order are merged, with few packets held") {
      val random   = new Random(runs * 31 + spread)
      val messages = Vector.tabulate(size)(n => (n + random.nextInt(spread + 1)).toLong)
      val packets = messages.zipWithIndex.groupBy(_._2 % runs).values.flatMap { run =>
        run.map(_._1).sorted.grouped(1 + random.nextInt(200)).map(some => packetOf(some.map(n => placeOf(n) -> n)))
      }.toVector.sortWith((a, b) => java.util.Arrays.compareUnsigned(a._2, b._2) < 0)
      val numbers = PacketMerge.inOrder(packets.iterator, 0).flatMap(bytes =>
        java.nio.ByteBuffer.wrap(bytes).asLongBuffer match {
          case all => Iterator.continually(all).takeWhile(_.hasRemaining).map(_.get())
        })
      assert(numbers.sameElements(messages.sorted.iterator))
    }

  test("neighbours of a packet that nothing overlaps come together") {
    val packets = (0 until 10).map(p => packetOf((0 until 100).map(n => placeOf(p * 100L + n) -> 0L)))
    assert(PacketMerge.inOrder(packets.iterator, 0).map(_.length).toSeq == Seq.fill(10)(800))
  }

  test(s"S1: ${Damage.Count} packets with other bytes are merged, or refused by name") {
    val first = packetOf((0 until 5).map(n => placeOf(n * 2L) -> n.toLong))
    val other = packetOf((0 until 5).map(n => placeOf(n * 2L + 1) -> n.toLong))
    val refused = Damage.refusedBytes("placed packets", first._1) { bytes =>
      try PacketMerge.inOrder(Iterator((bytes, first._2), other), 0).foreach(_ => ())
      catch { case wrong: IllegalStateException if wrong.getMessage.startsWith("[ORDER_BROKEN]") => () }
    }
    assert(refused > Damage.Count / 10)
  }
}

private object PacketMergeSuite {
  def placeOf(number: Long): Array[Byte] = java.nio.ByteBuffer.allocate(8).putLong(number).array

  /** Creates a packet.
    *
    * @param messages
    *   place and entry of each row
    */
  def packetOf(messages: Seq[(Array[Byte], Long)]): PlacedPacket.Type = {
    val (entries, packet) = (new ByteWriter, new ByteWriter)
    messages.foreach { case (place, entry) =>
      val from = entries.size
      entries.long(entry)
      PlacedPacket.put(packet, place, entries, from, entries.size)
    }
    (packet.result(), messages.head._1)
  }
}
