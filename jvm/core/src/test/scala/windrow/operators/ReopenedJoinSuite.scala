package windrow.operators

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.InMemoryShardStore

/** Checks that a join on the store of another one loses nothing: a spec that could not read the store is refused
  * (SEMANTICS S2).
  */
class ReopenedJoinSuite extends AnyFunSuite {
  private val first = JoinDraft(
    Seq(JoinStream("o"), JoinStream("s")),
    hasKeys = true,
    Within.Ranges(Map("s" -> JoinRange(TimeSpan(0), TimeSpan(300)))),
    lateness = Some(TimeSpan(600)))

  private def open(draft: JoinDraft, store: InMemoryShardStore) = {
    val join = new StreamStreamJoinOperator[String, Event, Int](
      draft.checked,
      Event,
      row => Some(row.flatten.size),
      Context[Event, Int](store = store))
    join.init()
    join
  }

  private def refused(before: JoinDraft, after: JoinDraft): Unit = {
    val store = new InMemoryShardStore
    val join  = open(before, store)
    join.timeout(30)
    join.process("o", Event("o", "a", 1, 1, 1))
    join.process("s", Event("s", "a", 2, 2, 1))
    join.flush()
    join.close()
    val wrong = intercept[CheckpointError](open(after, store))
    assert(wrong.getMessage.startsWith("[SPEC_CHANGED]"))
    val again = open(before, store)
    again.timeout(10000)
    assert(again.getResult().size <= 1)
    again.close()
  }

  test("rows that wait for a period are not forgotten by a join without one") {
    refused(first.copy(early = Every(TimeSpan(60))), first)
  }

  test("messages are where a join with another expectation, or without keys, would not look") {
    refused(first.copy(expect = ExpectedSize.Large), first.copy(expect = ExpectedSize.Small))
    refused(first, first.copy(hasKeys = false))
  }
}
