package windrow.core.policy

import java.nio.ByteBuffer
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.core.operator.Origin
import windrow.core.state._
import windrow.operators.Sum

/** Checks that windows in pages of any size equal windows in one page, and that pages are removed with their messages
  * (SEMANTICS S10).
  */
final class PolicyPagesSuite extends AnyFunSuite {
  private val key = new Key(Array[Byte](1))

  private def entry(number: Int, value: Double): PolicyEntry[Long] = {
    val raw = ByteBuffer.allocate(4).putInt(number).array
    PolicyEntry(key, value, isMarker = false, number.toLong, raw, Some(Origin("s", 0, number.toLong)))
  }

  private def told(effect: PolicyEffect[Long]): String = effect match {
    case PolicyEffect.Happened(_, event, window, sequence) =>
      s"${event.kind} $window $sequence ${event.messages.map(ByteBuffer.wrap(_).getInt).mkString(",")}"
    case PolicyEffect.Fire(pane) => s"pane ${pane.start} ${pane.value}"
  }

  private val limits   = Seq(ByCount(40), ByTime(TimeSpan(25)), ByDelta("value", 30))
  private val triggers = Seq(ByCount(3), ByTime(TimeSpan(7)), ByDelta("value", 5))
  private val evictions = limits.map(Eviction.Tumbling(_)) ++
    (for (by <- limits; trigger <- triggers) yield Eviction.Sliding(by, trigger))

  for (eviction <- evictions) test(s"$eviction: the size of pages and sums show in nothing, and nothing is left") {
    (1 to 10).foreach { seed =>
      def run(pageBytes: Int, sums: Boolean) = {
        val random = new Random(seed)
        val store  = new CountingStore
        val spec   = PolicyWindowSpec.checked(eviction, KeyLimits(idle = Some(TimeSpan(1000))))
        def shard  = new PolicyShard(spec, Sum, store, pageBytes = pageBytes, sums = sums)
        var now    = 1000L
        var number = 0
        val effects = (1 to 40).flatMap { _ =>
          now += random.nextInt(12) - 2 // clocks are sometimes set back
          val some = Seq.fill(random.nextInt(20)) {
            number += 1
            entry(number, if (random.nextInt(5) == 0) Double.NaN else number / 2 + random.nextInt(20).toDouble)
          }
          shard.step(some.iterator, Some(now)).map(told).toVector
        }
        val last = shard.step(Iterator.empty, Some(now + 10000)).map(told).toVector
        assert(store.values("held") == 0)
        effects ++ last
      }
      val plain = run(pageBytes = 1 << 20, sums = false)
      assert(plain.exists(_.startsWith("pane")))
      assert(run(pageBytes = 100, sums = true) == plain, s"seed $seed")
      assert(run(pageBytes = 300, sums = false) == plain, s"seed $seed")
    }
  }
}
