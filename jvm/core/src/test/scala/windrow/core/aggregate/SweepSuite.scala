package windrow.core.aggregate

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random
import windrow.core.state.{ByteReader, ByteWriter, Key, KeyMap}

/** Compares both ways to sweep with sums of all slices of a window. Buffers are changed in place, so the test detects a
  * buffer that is shared.
  */
final class SweepSuite extends AnyFunSuite {
  private object Lists extends Aggregation[mutable.ArrayBuffer[Int], Seq[Int]] {
    type Buffer = mutable.ArrayBuffer[Int]
    def zero: Buffer                                 = new Buffer
    def combine(left: Buffer, right: Buffer): Buffer = left ++= right
    def copy(buffer: Buffer): Buffer                 = buffer.clone()
    def lower(buffer: Buffer): Seq[Int]              = buffer.toSeq
    def write(buffer: Buffer, out: ByteWriter): Unit = throw new UnsupportedOperationException
    def read(in: ByteReader): Buffer                 = throw new UnsupportedOperationException
  }

  private def check(seed: Int, slices: Int, sweep: Sweep[mutable.ArrayBuffer[Int]]): Unit = {
    val random = new Random(seed)
    val keys   = 1 + random.nextInt(8)
    val all =
      Vector.tabulate(40)(position => (position, Seq.fill(random.nextInt(keys + 1))(random.nextInt(keys)).distinct))
    all.foreach { case (position, here) =>
      val slice = new KeyMap[mutable.ArrayBuffer[Int]]
      here.foreach(key => slice.put(new Key(Array(key.toByte)), mutable.ArrayBuffer(position)))
      sweep.leaveBelow(position.toLong - slices + 1)
      sweep.enter(position.toLong, slice)
      val wanted = for ((at, keys) <- all.slice(position - slices + 1, position + 1); key <- keys) yield key -> at
      // repeated, because reading a window must not change it
      (1 to 1 + random.nextInt(2)).foreach { _ =>
        val found = sweep.window.map { case (key, buffer) => key.bytes.head.toInt -> buffer.toSeq }.toSeq
        assert(found.map(_._1).distinct.size == found.size)
        assert(found.toMap == wanted.groupMap(_._1)(_._2), s"seed $seed, $slices slices, position $position")
        val byKey = (0 until keys).map(key => Option(sweep.valueOf(new Key(Array(key.toByte)))).map(_.toSeq))
        assert(byKey == (0 until keys).map(found.toMap.get), s"seed $seed, $slices slices, position $position")
      }
      assert((0 until slice.size).forall(i => slice.valueAt(i).toSeq == Seq(position)))
    }
  }

  test("windows are the sums of their slices, which stay as they are") {
    for (seed <- 1 to 100; slices <- Seq(1, 2, 3, 8, 20)) {
      check(seed, slices, new Recalculate(Lists))
      check(seed, slices, new TwoStacks(Lists))
    }
  }
}
