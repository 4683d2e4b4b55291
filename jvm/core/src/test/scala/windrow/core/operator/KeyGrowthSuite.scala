package windrow.core.operator

import java.time.ZoneOffset
import org.scalatest.exceptions.TestFailedException
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow
import windrow._
import windrow.core.Full
import windrow.core.aggregate.{Aggregation, OrderedAggregation}
import windrow.core.fullstate.FullStateShard
import windrow.core.policy.{PolicyEntry, PolicyShard}
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.store.Incoming
import windrow.core.time.Watermark
import windrow.operators.{ExactSum, Sum}

/** Measures how the cost of the messages of one key grows with their number, for every kind of windows, with messages
  * or aggregates, and for every policy (SEMANTICS S10, S11). A message costs the logarithm of the content of its key,
  * and a step writes only changes.
  */
@Slow
class KeyGrowthSuite extends AnyFunSuite {
  import KeyGrowthSuite._

  for (operator <- operators) {
    test(s"$operator: a message costs the logarithm of those that came before it in its step") {
      isLogarithmic(operator)
    }

    test(s"$operator: ten messages more write what they change, however many are there") {
      writesChanges(operator)
    }
  }

  test("every kind of windows is measured") {
    assert((Inherit() +: several +: windows).map(_.form.name).toSet == WindowKinds.Forms.map(_.name).toSet)
  }

  test("a fault is found: a message that reads the content of its key, and a step that writes it again") {
    val reading = OfKey("reads all") { (store, some) =>
      val space = store.space("windows")
      some.foreach { n =>
        space.put(n.toLong, Array(1))
        (0 to n).foreach(at => space.get(at.toLong))
      }
      0
    }
    val rewriting = OfKey("writes all") { (store, some) =>
      store.space("windows").put(0, new Array[Byte](some.last * 13))
      0
    }
    intercept[TestFailedException](isLogarithmic(reading, few = 100, times = 16)): Unit
    intercept[TestFailedException](writesChanges(rewriting)): Unit
  }

  private def isLogarithmic(operator: OfKey, few: Int = few, times: Int = times): Unit =
    Growth.check(few, logarithm = 3, times)((count, store) => operator.step(store, 0 until count): Unit)

  private def writesChanges(operator: OfKey): Unit = {
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

private[operator] object KeyGrowthSuite {

  /** A number of messages, and the ratio of a greater one to it. */
  val (few, times) = if (Full.isFull) (1000, 100) else (100, 16)

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
  val windows: Seq[WindowKind] = Seq(
    Tumbling("1 day", ZoneOffset.UTC),
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

  /** Several windows at once, which full state does not support. */
  private val several = NamedWindows(Seq(
    "few"  -> Hopping(TimeSpan(40), TimeSpan(20)),
    "all"  -> Tumbling(all),
    "near" -> Session(TimeSpan(10))))

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

  private def aggregate(window: WindowKind): OfKey =
    of(s"aggregate of $window", window, if (window == Global) Every(1000000) else Never, Sum, identity[Long])(_ => None)

  private def of[B, V](
      name: String,
      window: WindowKind,
      early: PaneTrigger,
      aggregation: Aggregation[B, V],
      lift: Long => B)(pane: Int => Option[IncomingPane]) = OfKey(name) {
    val spec = WindowOperatorDraft(
      window,
      lateness = Some(TimeSpan(forever)),
      early = early,
      accumulation = Some(Accumulating)).checked
    val value = window.rowValue.of(Some(10L)).get
    def entry(n: Int) =
      Entry(key, Some(n * 10L), value, count = 1, lift(1), Array[Byte](1, 2, 3), origin(n), pane(n))
    (store, some) => new Shard(spec, aggregation, store).step(some.iterator.map(entry), Watermark(-1), None).size
  }

  private def pane(content: Int, from: Long = 0, to: Long = all.micros, isRetraction: Boolean = false) =
    Some(IncomingPane(from, to, Timing.OnTime, isRetraction, new Key(BigInt(content).toByteArray)))

  /** Every third message retracts one of the others, in their order. */
  private def correction(n: Int) =
    if (n % 3 == 2) pane(n / 6 * 3 + n / 3 % 2, isRetraction = true) else pane(n)

  private val ordered = new OrderedAggregation(Sum)

  private val inherited = Seq(
    of("panes of one window", Inherit(), Never, Sum, identity[Long])(pane(_)),
    of("panes of a window each", Inherit(), Never, Sum, identity[Long])(n => pane(n, n * 10L, n * 10L + 40)),
    of("equal panes", Inherit(), EachBatch, Sum, identity[Long])(_ => pane(1)),
    of("panes of one window that emits one for each", Inherit(), EachMessage, ExactSum, identity[Long])(pane(_)),
    of("corrections of one window", Inherit(), EachBatch, Sum, identity[Long])(correction),
    of("corrections of one window in order", Inherit(), EachBatch, ordered, ordered.lift(Array(1), _))(correction))

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
    windows.map(fullState) ++ (several +: windows).map(aggregate) ++ inherited ++ evictions.map(policy)
}
