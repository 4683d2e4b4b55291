package windrow.spark.pack

import org.scalatest.funsuite.AnyFunSuite

/** A shard is given the messages of a step in their order, or none (SEMANTICS T3). */
final class PlacedPacketSuite extends AnyFunSuite {
  private def packet(place: Int*): PlacedPacket.Type = (Array[Byte](1), place.map(_.toByte).toArray)

  private def taken(packets: PlacedPacket.Type*): Int = PlacedPacket.inOrder(packets.iterator, 3).size

  test("places that never fall, as unsigned bytes") {
    assert(taken(packet(), packet(), packet(0), packet(0, 1), packet(0, 1), packet(127), packet(-128)) == 7)
  }

  test("a message after a later one, and what comes before all messages after one, are refused by name") {
    Seq(Seq(packet(0, 2), packet(0, 1)), Seq(packet(-1), packet(1)), Seq(packet(5), packet())).foreach { wrong =>
      val refused = intercept[IllegalStateException](taken(wrong: _*))
      assert(refused.getMessage.startsWith("[ORDER_BROKEN] shard 3 "))
    }
  }
}
