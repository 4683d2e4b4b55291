package windrow.core.store

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.Full
import windrow.core.state._

/** Compares the ends of the periods of keys with a map, while the clock is set back and ahead (SEMANTICS R86, S5). */
class PeriodsSuite extends AnyFunSuite {
  private val (rounds, atOnce) = if (Full.isFull) (2000, 2000) else (200, 40)

  private def key(number: Int): Key = new Key(s"key $number of some more bytes".getBytes)

  test(s"$rounds random histories: periods begin and end, the clock goes anywhere, restarts") {
    (1 to rounds).foreach { seed =>
      val random  = new Random(seed.toLong)
      val store   = new InMemoryShardStore
      var periods = new Periods(store)
      var model   = Map.empty[Long, Set[Key]].withDefaultValue(Set.empty)
      var now     = 0L
      (1 to 40).foreach { _ =>
        now += random.nextInt(60) - 25L
        (1 to random.nextInt(atOnce)).foreach { _ =>
          val (one, end) = (key(random.nextInt(atOnce * 5)), now + 1 + random.nextInt(100))
          periods.await(one, end)
          model += end -> (model(end) + one)
        }
        val (ended, left) = model.partition(_._1 <= now)
        assert(periods.due(Some(now)).toSet == ended.values.flatten.toSet)
        periods.forget(Some(now))
        periods.flush()
        model = left.withDefaultValue(Set.empty)
        assert(periods.first == model.keys.minOption)
        if (random.nextInt(4) == 0) periods = restarted(store, periods.writeDirectory)
      }
    }
  }

  private def restarted(store: ShardStore, write: ByteWriter => Unit): Periods = {
    val out = new ByteWriter
    write(out)
    val periods = new Periods(store)
    periods.readDirectory(ByteReader(out.result()))
    periods
  }

  test("periods that have ended leave no state") {
    val store   = new InMemoryShardStore
    val periods = new Periods(store)
    (1 to 3000).foreach(number => periods.await(key(number), number.toLong))
    periods.flush()
    periods.forget(Some(3000L))
    periods.flush()
    assert(store.bytes == 0)
    assert(periods.first.isEmpty)
  }
}
