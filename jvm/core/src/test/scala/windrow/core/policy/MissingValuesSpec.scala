package windrow.core.policy

import java.nio.ByteBuffer
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.core.operator.Origin
import windrow.core.state._
import windrow.operators.Sum

/** Checks that a message without a value has the effect of the value before it in its partition (SEMANTICS R89). */
class MissingValuesSpec extends AnyFunSuite {
  private type Valued = (Byte, Double)

  private def filled(messages: Seq[Valued]): Seq[Valued] = {
    val first = messages.filterNot(_._2.isNaN).groupMapReduce(_._1)(_._2)((first, _) => first)
    messages.foldLeft((Vector.empty[Valued], first)) { case ((done, last), (key, value)) =>
      val now = if (value.isNaN) last.getOrElse(key, 0.0) else value
      (done :+ (key -> now), last + (key -> now))
    }._1
  }

  private def happened(eviction: Eviction, messages: Seq[Valued], eachStep: Int): Seq[String] = {
    var store = new InMemoryShardStore
    messages.zipWithIndex.grouped(eachStep).flatMap { step =>
      store = store.snapshot
      val shard = new PolicyShard(PolicyWindowSpec.checked(eviction), Sum, store)
      val entries = step.map { case ((key, value), number) =>
        val raw = ByteBuffer.allocate(4).putInt(number).array
        PolicyEntry(new Key(Array(key)), value, false, 1L, raw, Some(Origin("s", 0, number.toLong)))
      }
      shard.step(entries.iterator, Some(0)).collect { case PolicyEffect.Happened(key, event, window, sequence) =>
        val numbers = event.messages.map(ByteBuffer.wrap(_).getInt)
        s"${key.bytes.head} ${event.kind} $window $sequence ${numbers.mkString(",")}"
      }.toVector
    }.toSeq
  }

  private val delta = ByDelta("value", _: Double)

  private val evictions = Seq(
    Eviction.Tumbling(delta(4)),
    Eviction.Sliding(delta(4), delta(2)),
    Eviction.Sliding(delta(0), ByCount(3)),
    Eviction.Sliding(ByCount(3), delta(2)))

  for (eviction <- evictions; (count, size) <- Seq(200 -> 40, 2 -> 16000))
    test(s"$eviction: $count of $size messages") {
      val fired = (1 to count).count { seed =>
        val random = new Random(seed)
        def value  = if (random.nextInt(3) == 0) Double.NaN else random.nextInt(12 + size / 20).toDouble
        val some   = Seq.fill(size)((random.nextInt(3).toByte, value))
        val each   = 1 + random.nextInt(size)
        val found  = happened(eviction, some, each)
        assert(found == happened(eviction, filled(some), size), s"seed $seed")
        found.exists(!_.contains("INSERTION"))
      }
      assert(fired > count / 2)
    }
}
