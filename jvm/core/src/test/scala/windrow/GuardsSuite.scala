package windrow

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.operator._
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.time.Watermark

/** Limits that only a mistake reaches (SEMANTICS S9). */
class GuardsSuite extends AnyFunSuite {
  private val tumbling = WindowOperatorDraft(Tumbling(TimeSpan(10)), Some(TimeSpan.Zero)).checked

  private def entry(time: Long): Entry[Long] =
    Entry(new Key("secret".getBytes), Some(time), gap = 0, count = 1, buffer = 1L, raw = null, origin = None)

  private def shard(store: ShardStore, guards: Guards, spec: WindowOperatorSpec = tumbling) =
    new Shard[Long, Long](spec, operators.Sum, store, guards = guards)

  test("a step that owes more than the limit stops; with a higher one the query goes on where it was") {
    val store    = new InMemoryShardStore
    def messages = (0L until 5).iterator.map(n => entry(n * 10))
    def step(guards: Guards, entries: Iterator[Entry[Long]], to: Long) =
      shard(store, guards).step(entries, Watermark(to), None).toVector
    assert(step(Guards(), messages, 1).isEmpty)
    val stopped = intercept[GuardError](step(Guards(maxPendingOutput = 3), Iterator.empty, 100))
    assert(stopped.getMessage == "[TOO_MUCH_OUTPUT] a step of Tumbling('10 microseconds'): there are 4 rows from one step of a " +
      "shard; at most 3 may be. Take longer windows, a shorter retention, or smaller steps; or raise " +
      "spark.windrow.maxPendingOutput (a standalone operator: maxPendingOutput), with which a query that has stopped here " +
      "goes on.")
    assert(step(Guards(maxPendingOutput = 5), Iterator.empty, 100).size == 5)
  }

  test("windows with records for each message are counted before anything comes") {
    def problems(early: PaneTrigger, step: Long) = Guards().problems(WindowOperatorDraft(
      Hopping(TimeSpan(86400), TimeSpan(step)),
      Some(TimeSpan.Zero),
      early,
      accumulation = Some(Accumulating)).checked)
    assert(problems(EachStep, 1).map(_.code) == Seq("TOO_MANY_WINDOWS"))
    assert(problems(EachStep, 10) == Nil && problems(Never, 1) == Nil)
    val refused = intercept[SpecError](shard(
      new InMemoryShardStore,
      Guards(maxWindowsPerMessage = 2),
      WindowOperatorDraft(
        Hopping(TimeSpan(3), TimeSpan(1)),
        Some(TimeSpan.Zero),
        EachStep,
        accumulation = Some(Accumulating)).checked))
    assert(refused.getMessage.startsWith("[TOO_MANY_WINDOWS] Hopping("))
  }

  test("more keys than a shard may keep stop it") {
    val session = WindowOperatorDraft(Session(TimeSpan(10)), Some(TimeSpan.Zero)).checked
    def step(most: Long) = shard(new InMemoryShardStore, Guards(maxKeysPerShard = most), session).step(
      (0 until 5).iterator.map(n => entry(0).copy(gap = 10, key = new Key(Array(n.toByte)))),
      Watermark(0),
      None).toVector
    assert(
      intercept[GuardError](step(4)).getMessage.startsWith("[TOO_MANY_KEYS] the state of Session('10 microseconds')"))
    assert(step(5).isEmpty)
  }

  test("every guard has a setting and a limit above 0") {
    assert(Guard.All.map(_.setting).distinct.size == Guard.All.size)
    assert(Guard.All.forall(guard => Guards().limit(guard) == guard.default))
    assertThrows[IllegalArgumentException](Guards(maxKeysPerShard = 0))
  }
}
