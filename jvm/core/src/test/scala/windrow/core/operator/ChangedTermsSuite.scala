package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.fullstate.{FullStateEffect, FullStateShard}
import windrow.core.join.{JoinEffect, JoinShard}
import windrow.core.shard.Shard
import windrow.core.state.{CountingStore, InMemoryShardStore, Key, ShardStore}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** Tests restarts with other triggers, retention and periods (SEMANTICS S2). The output must not depend on the keys
  * that share a bucket, or a shard, with a key (R75).
  */
class ChangedTermsSuite extends AnyFunSuite {
  private def key(number: Int) = new Key(Array((number >> 8).toByte, number.toByte))

  private def span(micros: Long) = TimeSpan(micros)

  private def incoming(of: Int, time: Long): Incoming =
    Incoming(key(of), Some(time), Some(Origin("s", of, time)), Array(1, 2, 3))

  private def kept(
      window: WindowKind,
      early: PaneTrigger = Never,
      lateness: Long = 0,
      retention: Long = 5000): FullStateSpec = FullStateDraft(
    window,
    lateness = Some(span(lateness)),
    early = early,
    retention = Retention(time = Some(span(retention)))).checked

  /** Returns the keys of the panes of a step. */
  private def step(
      spec: FullStateSpec,
      store: ShardStore,
      messages: Seq[Incoming],
      watermark: Long = -1,
      now: Option[Long] = None): Seq[Key] =
    new FullStateShard(spec, store).step(messages.iterator, Watermark(watermark), now).collect {
      case FullStateEffect.Fire(pane) => pane.key
    }.toVector

  /** Numbers of other keys: none, one in the same bucket, and so many that the key is in another bucket. */
  private val neighbours = Seq(0, 1, 2000)

  private def beside(count: Int, time: Long): Seq[Incoming] = (2 until 2 + count).map(incoming(_, time))

  for (window <- Seq(Tumbling(span(1000)), Session(span(1000))); others <- neighbours;
    next      <- Seq(EachBatch, EachMessage))
    test(s"full state of $window, $next in the place of never: no pane without a message, beside $others keys") {
      val store = new InMemoryShardStore
      assert(step(kept(window), store, incoming(1, 1) +: beside(others, 1)).isEmpty)
      val came = step(kept(window, next), store, beside(1, 2))
      assert(came == beside(1, 2).map(_.key))
      assert(step(kept(window, next), store, Seq(incoming(1, 3))) == Seq(key(1)))
    }

  for (kind <- Seq(Session(span(1000)), OffsetSession(1000000)); others <- neighbours)
    test(s"aggregates of $kind, each step in the place of never: no pane without a message, beside $others keys") {
      val store = new InMemoryShardStore
      def fired(early: PaneTrigger, messages: Seq[Incoming]): Seq[Key] = {
        val spec =
          WindowOperatorDraft(kind, Some(span(0)), early = early, accumulation = Some(Accumulating)).checked
        val entries = messages.map { one =>
          val offset = one.time.get * 10000 + one.key.bytes(0) * 256 + (one.key.bytes(1) & 0xff)
          Entry(one.key, one.time, 1000, 1, 1L, null, Some(Origin("s", 0, offset)))
        }
        new Shard(spec, operators.Sum, store).step(entries.iterator, Watermark(-1), None).collect {
          case Effect.Fire(pane) => pane.key
        }.toVector
      }
      assert(fired(Never, incoming(1, 1) +: beside(others, 2)).isEmpty)
      assert(fired(EachBatch, beside(1, 3)) == beside(1, 3).map(_.key))
    }

  for (others <- neighbours) test(s"full state: a shorter retention takes what a restart finds, beside $others keys") {
    val store  = new InMemoryShardStore
    val before = kept(Tumbling(span(10)), retention = 100)
    val after  = kept(Tumbling(span(10)), retention = 20)
    step(before, store, incoming(1, 1) +: beside(others, 1))
    step(before, store, Nil, watermark = 10)
    assert(new FullStateShard(before, store).getMessages(None, None).size == 1 + others)
    assert(!new FullStateShard(after, store).rests(Watermark(50), 0))
    step(after, store, Nil, watermark = 50)
    assert(new FullStateShard(after, store).getMessages(None, None).isEmpty)
  }

  for (others <- neighbours) test(s"a join: a smaller number is kept from a restart on, beside $others keys") {
    val store = new InMemoryShardStore
    def spec(newest: Long) = JoinDraft(
      Seq(JoinStream("o"), JoinStream("s")),
      hasKeys = true,
      Within.Everything,
      JoinKind.Inner,
      Some(span(0)),
      retention = Retention(messages = Some(newest))).checked
    def rows(newest: Long, messages: Seq[(Int, Incoming)]): Int =
      new JoinShard(spec(newest), store, _ => false).step(messages.iterator, Watermark(-1), None)
        .count(_.isInstanceOf[JoinEffect.Row])
    rows(3, Seq(1, 2, 3).map(time => (0, incoming(1, time))) ++ beside(others, 1).map((0, _)))
    rows(1, Nil)
    assert(rows(1, Seq((1, incoming(1, 5)))) == 1)
  }

  for (others <- neighbours; (was, is, fires) <- Seq((1000L, 60L, 120L), (60L, 1000L, 1000L)))
    test(s"full state: windows go by the period of a restart at once, $was to $is, beside $others keys") {
      val store              = new InMemoryShardStore
      val all                = Tumbling(span(1000000))
      def kept(period: Long) = this.kept(all, Every(span(period)), retention = 2000000)
      step(kept(was), store, incoming(1, 1) +: beside(others, 1), now = Some(100))
      for (now <- Seq(110L, 119L, 120L, 170L, 999L, 1000L)) {
        val came  = step(kept(is), store, Nil, now = Some(now))
        val first = Seq(110L, 119L, 120L, 170L, 999L, 1000L).find(_ >= fires).get
        assert(came.count(_ == key(1)) == (if (now == first) 1 else 0), s"at $now")
      }
    }

  test("a quiet key of full state is not looked at between the end of its lateness and that of retention (S10)") {
    val store = new CountingStore
    val spec  = kept(Tumbling(span(10)), lateness = 10, retention = 100000)
    step(spec, store, (1 to 1000).map(incoming(_, 1)))
    for (watermark <- Seq(10L, 20L, 21L)) step(spec, store, Nil, watermark)
    val before = store.reads
    for (watermark <- 30L to 40L) step(spec, store, Nil, watermark)
    assert(store.reads - before <= 11 * 8, "reads") // does not read buckets
  }

  test("a join by calendar windows accepts rows while their window is open, whatever is stored") {
    val hour = 3600000000L
    val spec = JoinDraft(
      Seq(JoinStream("o"), JoinStream("s")),
      hasKeys = true,
      Within.SameWindow(Calendar(1, CalendarUnit.Day, java.time.ZoneOffset.UTC)),
      JoinKind.Inner,
      Some(span(0)),
      retention = Retention(time = Some(span(hour)))).checked
    val store = new InMemoryShardStore
    def effects(messages: Seq[(Int, Incoming)], watermark: Long): Seq[JoinEffect] =
      new JoinShard(spec, store, _ => false).step(messages.iterator, Watermark(watermark), None).toVector
    assert(effects(Nil, 10 * hour).isEmpty)
    val rows = effects(Seq((0, incoming(1, 8 * hour)), (1, incoming(1, 7 * hour))), 11 * hour)
    assert(rows.size == 1 && rows.forall(_.isInstanceOf[JoinEffect.Row]))
    assert(effects(Seq((0, incoming(1, 8 * hour)), (1, incoming(1, 7 * hour))), 12 * hour).isEmpty, "a replay")
    effects(Nil, 24 * hour) // the day is complete
    val late = effects(Seq((0, incoming(1, 9 * hour))), 24 * hour)
    assert(late.collect { case JoinEffect.Refuse(_, _, reason, _) => reason } == Seq(Reason.OutOfRetention))
  }
}
