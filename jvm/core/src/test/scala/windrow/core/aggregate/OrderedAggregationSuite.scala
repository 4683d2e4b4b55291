package windrow.core.aggregate

import java.nio.ByteBuffer
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable.ArrayBuffer
import scala.util.Random
import windrow.core.Full
import windrow.core.state.{ByteReader, ByteWriter}

/** Compares buffers that share messages with plain lists (SEMANTICS T3). */
final class OrderedAggregationSuite extends AnyFunSuite {
  import OrderedAggregationSuite._

  private val seeds = if (Full.isFull) 2000 else 100

  for (most <- Seq(1, 3, 40)) test(s"buffers of up to $most parts contain their own messages only, however shared") {
    for (seed <- 0 until seeds) {
      val random  = new Random(seed)
      val buffers = ArrayBuffer.empty[(OrderedBuffer[Vector[Long]], Vector[Long])]
      for (n <- 0 until 200) buffers += (random.nextInt(10) match {
        case 0                             => inOrder.zero -> Vector.empty
        case 1 if buffers.nonEmpty         => again(one(buffers, random))
        case 2 | 3 if buffers.nonEmpty     => both(one(buffers, random), one(buffers, random), random)
        case 4 | 5 | 6 if buffers.nonEmpty => longer(one(buffers, random), n, random.nextInt(most) + 1)
        case _                             => lifted(n.toLong)
      })
      for ((buffer, expected) <- buffers) {
        assert(buffer.size == expected.size, s"seed $seed")
        assert(inOrder.lower(buffer) == expected.sorted, s"seed $seed")
      }
    }
  }

  private def one(all: ArrayBuffer[Part], random: Random): Part = all(random.nextInt(all.size))

  /** Adds messages to a copy one after another, as a window does. */
  private def longer(part: Part, first: Int, count: Int): Part =
    (0 until count).foldLeft(inOrder.copy(part._1) -> part._2) { case (sum, i) =>
      val next = lifted(first.toLong * 1000 + i)
      inOrder.combine(sum._1, next._1) -> (sum._2 ++ next._2)
    }

  private def both(left: Part, right: Part, random: Random): Part =
    if (left._2.size + right._2.size > Most) lifted(random.nextLong(Most))
    else inOrder.combine(inOrder.copy(left._1), right._1) -> (left._2 ++ right._2)

  private def again(part: Part): Part = {
    val out = new ByteWriter
    inOrder.write(part._1, out)
    inOrder.read(ByteReader(out.result())) -> part._2
  }
}

private object OrderedAggregationSuite {
  private type Part = (OrderedBuffer[Vector[Long]], Vector[Long])

  /** Longer buffers are not combined, because their sizes would double. */
  private val Most = 300L

  private val inOrder = new OrderedAggregation(Lists)

  private def lifted(n: Long): Part =
    inOrder.lift(ByteBuffer.allocate(8).putLong(n).array, Vector(n)) -> Vector(n)
}
