package windrow.core.state

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable.ArrayBuffer
import scala.util.Random

/** Checks that roots are read as they were written, and that a step writes only its changes of them (SEMANTICS S10). */
final class RootBlocksSuite extends AnyFunSuite {

  /** A part: its number, and its summary in the root. */
  private type Part = (Long, Long)

  private def write(blocks: RootBlocks, parts: Iterable[Part]): Array[Byte] = {
    val out = new ByteWriter
    blocks.write(parts, (part: Part) => part._1, out) { case ((number, told), to) =>
      to.count(number)
      to.long(told)
    }
    out.result()
  }

  private def read(blocks: RootBlocks, root: Array[Byte]): ArrayBuffer[Part] =
    blocks.read(ByteReader(root), (part: Part) => part._1)(in => (in.count(), in.long()))

  private def opened(store: ShardStore) = new RootBlocks(segmentsOf(store))

  private var assigned = 0L // counted across all segments, so that numbers are new after each reopening
  private def segmentsOf(store: ShardStore) = {
    val out = new ByteWriter
    out.count(assigned)
    assigned += 1000
    val segments = new Segments("parts", store)
    segments.readDirectory(ByteReader(out.result()))
    segments
  }

  private def check(seed: Int): Unit = {
    val random = new Random(seed)
    val store  = new CountingStore
    val parts  = ArrayBuffer.empty[Part]
    var root   = Array.emptyByteArray
    var last   = 0L
    def part() = { last += 1; (last, random.nextLong()) }
    (1 to 30).foreach { step =>
      val blocks = opened(store)
      if (step > 1) assert(read(blocks, root) == parts, s"seed $seed")
      (1 to random.nextInt(100)).foreach { _ =>
        random.nextInt(5) match {
          case 0 if parts.nonEmpty => parts.remove(random.nextInt(parts.size)): Unit
          case 1                   => parts.insert(random.nextInt(parts.size + 1), part())
          case _                   => parts += part()
        }
      }
      if (random.nextInt(10) == 0) parts.remove(0, parts.size * 3 / 4)
      root = write(blocks, parts)
    }
    val blocks = opened(store)
    assert(read(blocks, root) == parts && parts.nonEmpty)
    blocks.clear()
    assert(store.values("parts") == 0, s"seed $seed")
  }

  test("parts that come and go anywhere, over steps")((1 to 50).foreach(check))

  for ((where, index) <-
      Seq[(String, Int => Int)]("first" -> (_ => 0), "one in the middle" -> (_ / 2), "last" -> (_ - 1)))
    test(s"a root of ten times the parts costs no more when the $where leaves and another comes") {
      def cost(size: Int): Long = {
        val store  = new CountingStore
        val parts  = ArrayBuffer.tabulate(size)(number => (number + 1L, number.toLong))
        val blocks = opened(store)
        write(blocks, parts): Unit
        val before = store.bytesWritten
        parts.remove(index(size))
        parts.insert(index(size - 1), (size + 1L, 0L))
        val root = write(blocks, parts)
        assert(read(opened(store), root) == parts)
        store.bytesWritten - before + root.length
      }
      assert(cost(10000) <= 2 * cost(1000) + 1000)
    }
}
