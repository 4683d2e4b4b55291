package windrow.spark.pack

import org.scalatest.funsuite.AnyFunSuite
import windrow.SourcePartition
import windrow.core.offsets.Progress
import windrow.core.operator.Origin
import windrow.core.state.Damage
import windrow.spark.packet.{Packer, ProgressCodec, SeenOffsets}

/** Tests that the offsets that a task has seen arrive completely (SEMANTICS R72). */
final class ProgressCodecSpec extends AnyFunSuite {

  private def told(offsets: (String, Long, Long)*)(goesByOffsets: Boolean): Seq[Progress] = {
    val seen = new SeenOffsets
    offsets.foreach { case (source, partition, offset) => seen.add(Origin(source, partition, offset)) }
    Packer.notice(seen, goesByOffsets).flatMap(ProgressCodec.read)
  }

  test("all runs of each source partition, with the holes between them") {
    val found =
      told(("a", 0, 5), ("a", 0, 3), ("a", 0, 4), ("a", 1, 9), ("a", 0, 7), ("b", 0, 1), ("a", 0, 3))(goesByOffsets =
        false)
    assert(
      found.toSet == Set(
        Progress(SourcePartition("a", 0), 3, 5),
        Progress(SourcePartition("a", 0), 7, 7),
        Progress(SourcePartition("a", 1), 9, 9),
        Progress(SourcePartition("b", 0), 1, 1)))
    assert(found.size == 4)
  }

  test("of more than 64 runs their first and last offset, to windows that go by offsets; nothing to others") {
    for (goesByOffsets <- Seq(true, false)) {
      assert(told((0L to 126 by 2).map(("a", 0L, _)): _*)(goesByOffsets).size == 64)
      assert(
        told((0L to 128 by 2).map(("a", 0L, _)): _*)(goesByOffsets) ==
          (if (goesByOffsets) Seq(Progress(SourcePartition("a", 0), 0, 128, isWhole = false)) else Nil))
    }
  }

  test(s"S1: ${Damage.Count} packets of offsets with other bytes are read, or refused by name") {
    val seen = new SeenOffsets
    Seq(("a", 0, 5), ("a", 0, 3), ("a", 1, 9), ("b", 0, 1)).foreach { case (source, partition, offset) =>
      seen.add(Origin(source, partition.toLong, offset.toLong))
    }
    val packet = Packer.notice(seen, goesByOffsets = false).head
    assert(Damage.refusedBytes("progress", packet)(ProgressCodec.read) > Damage.Count / 100)
  }

  test("a task that has seen all offsets in any order reports one run (SEMANTICS R13)") {
    val shuffled = new scala.util.Random(1).shuffle((0L until 10000L).toVector)
    assert(told(shuffled.map(("a", 0L, _)): _*)(goesByOffsets =
      false) == Seq(Progress(SourcePartition("a", 0), 0, 9999)))
  }
}
