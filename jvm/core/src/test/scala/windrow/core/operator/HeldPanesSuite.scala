package windrow.core.operator
package sessions

import java.nio.ByteBuffer
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.Full
import windrow.core.aggregate.{Aggregation, Lists, OrderedAggregation}
import windrow.core.state._
import windrow.operators.{ExactSum, Sum}

/** Compares the panes of an inherited window, in small pages and with restarts, with a list (SEMANTICS R55, S10). */
class HeldPanesSuite extends AnyFunSuite {
  import HeldPanesSuite._

  private val rounds = if (Full.isFull) 5000 else 150
  private val first  = Random.nextInt(Int.MaxValue - rounds)

  private val inOrder = new OrderedAggregation(Lists)

  test(s"sums in $rounds random runs from seed $first are those of the panes that are not retracted")(
    runs { seed =>
      run[Long, Long](ExactSum, identity, new Random(seed))
      run[Long, Long](Sum, identity, new Random(seed))
    })

  test(s"values in order in $rounds random runs from seed $first, with the last ones that were shown")(runs(seed =>
    run(inOrder, (n: Long) => inOrder.lift(ByteBuffer.allocate(8).putLong(n).array, Vector(n)), new Random(seed))))

  test(s"sums that are not exact in $rounds random runs from seed $first have the same bits after a restart")(
    runs(seed => run[Double, Long](Doubles, n => 1 / (n + 3.0), new Random(seed), isExact = false)))

  private def runs(one: Int => Unit): Unit = (first until first + rounds).foreach(one)

  private def run[B, V](
      aggregation: Aggregation[B, V],
      lift: Long => B,
      random: Random,
      isExact: Boolean = true): Unit = {
    val stores   = Seq.fill(2)(new InMemoryShardStore)
    val ids      = stores.map(new Segments("incoming", _))
    val codecs   = ids.map(new InheritedCodec(aggregation, _, pageBytes = 64))
    var panes    = codecs.map(_.created(0, 10).panes)
    val contents = Seq(1, 5, 100)(random.nextInt(3))
    var live     = Vector.empty[Live]
    var shown    = Vector.empty[Live]
    var owed     = Vector.empty[Int]
    var value    = 0L

    def lowered(some: Vector[Live]) = aggregation.lowerAll(some.iterator.map(one => lift(one.value)))
    def check(): Unit = {
      val sums = panes.map(all => aggregation.lower(all.sum))
      assert(sums.distinct.size == 1 && panes.forall(_.isEmpty == live.isEmpty))
      if (isExact) assert(sums.head == lowered(live))
      if (aggregation.storage.isDefined) assert(aggregation.lower(panes.head.shownSum) == lowered(shown))
    }

    (1 to 1 + random.nextInt(300)).foreach { _ =>
      val content = random.nextInt(contents)
      random.nextInt(12) match {
        case 0 => // the first of both restarts
          val outs = panes.map { one =>
            val out = new ByteWriter
            one.write(out)
            out
          }
          panes = panes.updated(0, codecs.head.created(0, 10).panes)
          panes.head.read(ByteReader(outs.head.result()))
        case 1 =>
          panes.foreach(_.show())
          shown = live
        case 2 | 3 | 4 | 5 =>
          val at = live.lastIndexWhere(_.content == content)
          assert(panes.forall(_.retract(key(content)) == (at >= 0)))
          if (at >= 0) live = live.patch(at, Nil, 1) else owed :+= content
        case _ =>
          val isOwed = owed.contains(content)
          assert(panes.forall(_.add(key(content), lift(value)) == !isOwed))
          if (isOwed) owed = owed.diff(Seq(content)) else live :+= Live(content, value)
          value += 1
      }
      if (random.nextBoolean()) check()
    }
    check()
    panes.foreach(_.clear())
    assert(stores.forall(!_.entries.hasNext))
  }
}

private object HeldPanesSuite {
  final case class Live(content: Int, value: Long)

  private def key(content: Int) = new Key(Array(content.toByte))

  object Doubles extends Aggregation[Double, Long] {
    def zero: Double                                 = 0.0
    def combine(left: Double, right: Double): Double = left + right
    def copy(buffer: Double): Double                 = buffer
    def lower(buffer: Double): Long                  = java.lang.Double.doubleToLongBits(buffer)
    def write(buffer: Double, out: ByteWriter): Unit = out.long(lower(buffer))
    def read(in: ByteReader): Double                 = java.lang.Double.longBitsToDouble(in.long())
  }
}
