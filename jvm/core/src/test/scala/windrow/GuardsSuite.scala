package windrow

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.fullstate.FullStateShard
import windrow.core.join.JoinShard
import windrow.core.operator._
import windrow.core.policy.{PolicyEntry, PolicyShard}
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** Tests limits that only a mistake reaches (SEMANTICS S9). */
class GuardsSuite extends AnyFunSuite {
  private val tumbling = WindowOperatorDraft(Tumbling(TimeSpan(10)), Some(TimeSpan.Zero)).checked

  private def entry(time: Long): Entry[Long] =
    Entry(new Key("secret".getBytes), Some(time), value = 0, count = 1, buffer = 1L, raw = null, origin = None)

  private def shard(store: ShardStore, guards: Guards, spec: WindowOperatorSpec = tumbling) =
    new Shard[Long, Long](spec, operators.Sum, store, guards = guards)

  test("a step that owes more than the limit stops; with a higher one the query goes on where it was") {
    val store    = new InMemoryShardStore
    def messages = (0L until 5).iterator.map(n => entry(n * 10))
    def step(guards: Guards, entries: Iterator[Entry[Long]], to: Long) =
      shard(store, guards).step(entries, Watermark(to), None).toVector
    assert(step(Guards(), messages, 1).isEmpty)
    val stopped = intercept[GuardError](step(Guards(maxPendingOutput = 3), Iterator.empty, 100))
    assert(
      stopped.getMessage == "[TOO_MUCH_OUTPUT] a step of Tumbling('10 microseconds'): One micro-batch of a shard " +
        "has 4 output rows, but the limit is 3. Use longer windows, a shorter retention, or smaller micro-batches. If you " +
        "need so many, raise spark.windrow.maxPendingOutput (in an operator outside queries, maxPendingOutput) and " +
        "restart: the query continues where it stopped. See docs/errors.md#too_much_output.")
    assert(step(Guards(maxPendingOutput = 5), Iterator.empty, 100).size == 5)
  }

  test("windows with records for each row are counted before any input") {
    def problems(early: PaneTrigger, step: Long) = Guards().problems(WindowOperatorDraft(
      Hopping(TimeSpan(86400), TimeSpan(step)),
      Some(TimeSpan.Zero),
      early,
      accumulation = Some(Accumulating)).checked)
    assert(problems(EachBatch, 1).map(_.code) == Seq("TOO_MANY_WINDOWS"))
    assert(problems(EachBatch, 10) == Nil && problems(Never, 1) == Nil)
    val refused = intercept[SpecError](shard(
      new InMemoryShardStore,
      Guards(maxWindowsPerMessage = 2),
      WindowOperatorDraft(
        Hopping(TimeSpan(3), TimeSpan(1)),
        Some(TimeSpan.Zero),
        EachBatch,
        accumulation = Some(Accumulating)).checked))
    assert(refused.getMessage.startsWith("[TOO_MANY_WINDOWS] Hopping("))
  }

  test("more keys than a shard may keep stop it") {
    val session = WindowOperatorDraft(Session(TimeSpan(10)), Some(TimeSpan.Zero)).checked
    def step(most: Long) = shard(new InMemoryShardStore, Guards(maxKeysPerShard = most), session).step(
      (0 until 5).iterator.map(n => entry(0).copy(value = 10, key = new Key(Array(n.toByte)))),
      Watermark(0),
      None).toVector
    assert(
      intercept[GuardError](step(4)).getMessage.startsWith("[TOO_MANY_KEYS] the state of Session('10 microseconds')"))
    assert(step(5).isEmpty)
  }

  private val few = Guards(maxMessagesPerWindow = 4, maxKeysPerShard = 4, maxPendingOutput = 4)

  /** Messages of 5 keys or of 1 key. */
  private def incoming(keys: Int): Iterator[Incoming] = Iterator.range(0, 5).map(n =>
    Incoming(new Key(Array((n % keys).toByte)), Some(n * 10L), None, Array(1)))

  private def code(step: => Iterator[Any]): String = intercept[GuardError](step.foreach(_ => ())).problem.code

  test("full state, joins and policies stop, too") {
    val kept = FullStateDraft(
      Tumbling(TimeSpan(10)),
      lateness = Some(TimeSpan.Zero),
      early = Never,
      retention = Retention(time = Some(TimeSpan(1000)))).checked
    def fullState(keys: Int, to: Long, guards: Guards = few) =
      new FullStateShard(kept, new InMemoryShardStore, guards = guards).step(incoming(keys), Watermark(to), None)
    assert(code(fullState(5, 0)) == "TOO_MANY_KEYS" && code(fullState(1, 100)) == "TOO_MUCH_OUTPUT")
    assert(fullState(5, 100, Guards(maxKeysPerShard = 5, maxPendingOutput = 5)).size == 5)

    val pairs = JoinDraft(
      Seq(JoinStream("a"), JoinStream("b")),
      hasKeys = true,
      Within.Ranges(Map("b" -> JoinRange(TimeSpan.Zero, TimeSpan(5)))),
      JoinKind.Inner,
      Some(TimeSpan.Zero)).checked
    def join(guards: Guards) = new JoinShard(pairs, new InMemoryShardStore, _ => false, guards = guards)
      .step(incoming(5).map(0 -> _), Watermark(0), None)
    assert(code(join(few)) == "TOO_MANY_KEYS" && join(Guards(maxKeysPerShard = 5)).isEmpty)

    val counted = Eviction.Tumbling(ByCount(9))
    def policies(keys: Int, guards: Guards, of: Eviction = counted) =
      new PolicyShard(PolicyWindowSpec.checked(of), operators.Sum, new InMemoryShardStore, guards = guards).step(
        incoming(keys).map(one => PolicyEntry(one.key, 1, isMarker = false, buffer = 1L, one.payload, None)),
        None)
    assert(code(policies(5, few)) == "TOO_MANY_KEYS" && code(policies(1, few)) == "TOO_MANY_MESSAGES")
    assert(code(policies(1, few, Eviction.Tumbling(ByCount(1)))) == "TOO_MUCH_OUTPUT")
    assert(Seq(1, 5).forall(policies(_, Guards(maxKeysPerShard = 5, maxMessagesPerWindow = 5)).nonEmpty))
  }

  test("every guard has a setting and a limit above 0") {
    assert(Guard.All.map(_.setting).distinct.size == Guard.All.size)
    assert(Guard.All.forall(guard => Guards().limit(guard) == guard.default))
    assertThrows[IllegalArgumentException](Guards(maxKeysPerShard = 0))
  }
}
