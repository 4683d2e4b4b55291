package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow
import windrow._
import windrow.core.fullstate.FullStateShard
import windrow.core.policy.{PolicyEntry, PolicyShard}
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.store.Incoming
import windrow.core.time.Watermark
import windrow.operators.Sum

/** Measures how the cost of the messages of one key grows with their number, for every kind of windows, with messages
  * or aggregates, and for every policy (SEMANTICS S10, S11). A message costs the logarithm of the content of its key,
  * and a step writes only changes.
  */
@Slow
class KeyGrowthSuite extends AnyFunSuite {
  import KeyGrowthSuite._

  for (operator <- operators) {
    test(s"$operator: a message costs the logarithm of those that came before it in its step") {
      Growth.check(few, logarithm = 3)((count, store) => operator.step(store, 0 until count): Unit)
    }

    test(s"$operator: ten messages more write what they change, however many are there") {
      val costs = Seq(few * 10, few * 100).map { count =>
        val store = new CountingStore
        (0 until count).grouped(few * 10).foreach(some => operator.step(store, some))
        val before = store.bytesWritten
        (0 until 5).foreach(step => operator.step(store, (0 until 10).map(count + step * 10 + _)))
        (store.bytesWritten - before) / 5
      }
      assert(
        costs(1) <= 2 * costs.head + 4096,
        s"${costs.head} bytes a step at ${few * 10}, ${costs(1)} at ${few * 100}")
    }
  }
}

private object KeyGrowthSuite {
  private val few = if (sys.props.get("windrow.mode").contains("full")) 1000 else 100

  /** @param step
    *   runs one step of a new shard, with messages of these numbers
    */
  final case class OfKey(name: String)(val step: (CountingStore, Seq[Int]) => Int) {
    override def toString: String = name
  }

  private val key     = new Key(Array[Byte](1))
  private val forever = 1000000000L
  private val all     = TimeSpan(100000000)

  /** Kinds of windows for messages 10 apart. A window of size `all` contains every message. */
  private val windows: Seq[WindowKind] = Seq(
    Tumbling(TimeSpan(40)),
    Tumbling(all),
    Hopping(TimeSpan(40), TimeSpan(20)),
    Hopping(all, TimeSpan(20000000)),
    Session(TimeSpan(9)),
    Session(TimeSpan(10)),
    Sliding(TimeSpan(40), TimeSpan(1)),
    Sliding(all, TimeSpan(1)),
    Over.Range(TimeSpan(40)),
    Over.Range(all),
    Over.Rows(10),
    Over.Everything,
    Count(10),
    Count(1000000),
    OffsetRange(10),
    OffsetRange(1000000),
    OffsetSession(3),
    Global)

  private def origin(n: Int) = Some(Origin("s", 0, n.toLong))

  private def fullState(window: WindowKind) = OfKey(s"messages of $window") {
    val spec = FullStateDraft(
      window,
      lateness = Some(TimeSpan(forever)),
      early = if (window == Global) Every(1000000) else Never,
      retention = Retention(time = Some(TimeSpan(2 * forever)))).checked
    (store, some) =>
      new FullStateShard(spec, store).step(
        some.iterator.map(n => Incoming(key, Some(n * 10L), origin(n), Array(1, 2, 3))),
        Watermark(-1),
        None).size
  }

  private def aggregate(window: WindowKind) = OfKey(s"aggregate of $window") {
    val spec = WindowOperatorDraft(
      window,
      lateness = Some(TimeSpan(forever)),
      early = if (window == Global) Every(1000000) else Never,
      accumulation = Some(Accumulating)).checked
    val value = window.rowValue.of(Some(10L)).get
    (store, some) =>
      new Shard(spec, Sum, store).step(
        some.iterator.map(n => Entry(key, Some(n * 10L), value, count = 1, 1L, Array[Byte](1, 2, 3), origin(n))),
        Watermark(-1),
        None).size
  }

  private val limits: Seq[By] = Seq(1000000L, 50L).map(ByCount(_)) ++
    Seq(all, TimeSpan(500)).map(ByTime(_)) ++ Seq(1e12, 500.0).map(ByDelta("value", _))

  private val evictions: Seq[Eviction] = limits.map(Eviction.Tumbling(_)) ++
    (for (by <- limits; trigger <- Seq(ByCount(1), ByTime(TimeSpan(10)), ByDelta("value", 5)))
      yield Eviction.Sliding(by, trigger)) :+ Eviction.ByPunctuation("marks")

  private def policy(eviction: Eviction) = OfKey(s"$eviction") {
    val spec = PolicyWindowSpec.checked(eviction)
    (store, some) => {
      val shard = new PolicyShard(spec, Sum, store, hasEvents = false)
      shard.step(
        some.iterator.map(n => PolicyEntry(key, n * 10.0, isMarker = false, 1L, Array[Byte](1, 2, 3), origin(n))),
        some.lastOption.map(_ * 10L)).size
    }
  }

  val operators: Seq[OfKey] =
    windows.map(fullState) ++ windows.map(aggregate) ++ evictions.map(policy)
}
