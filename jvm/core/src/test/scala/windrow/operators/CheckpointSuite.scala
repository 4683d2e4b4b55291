package windrow.operators

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.{DamagedStateError, InMemoryShardStore}

/** Tests which operators may continue from a store (SEMANTICS S1, S2). */
class CheckpointSuite extends AnyFunSuite {
  private def event(offset: Long, stream: String = "messages") = Event(stream, "a", 10, offset, offset)

  private def fullState(size: Long, lateness: Long = 0, late: PaneTrigger = EachMessage) = FullStateDraft(
    Tumbling(TimeSpan(size)),
    lateness = Some(TimeSpan(lateness)),
    late = late,
    retention = Retention(time = Some(TimeSpan(600)))).checked

  private def join(how: JoinKind) = JoinDraft(
    Seq(JoinStream("o"), JoinStream("s")),
    hasKeys = true,
    Within.Ranges(Map("s" -> JoinRange(TimeSpan(0), TimeSpan(5), isLowOpen = false, isHighOpen = false))),
    how = how,
    lateness = Some(TimeSpan(0))).checked

  private def opened(spec: FullStateSpec, store: InMemoryShardStore) = {
    val operator = new FullStateWindowOperator(spec, Event, Context[Event, Pane[String, Seq[Event]]](store = store))
    operator.init()
    operator
  }

  private def begun(): InMemoryShardStore = {
    val store    = new InMemoryShardStore
    val operator = opened(fullState(60), store)
    operator.addMessage("messages", event(1))
    operator.flush()
    operator.close()
    store
  }

  test("full state goes on with longer lateness and other late triggers") {
    val operator = opened(fullState(60, lateness = 100, late = Every(3)), begun())
    assert(operator.getMessages(None, None).map(_.offset) == Seq(1L))
  }

  test("full state of other windows is refused with SPEC_CHANGED") {
    val error = intercept[CheckpointError](opened(fullState(30), begun()))
    assert(error.getMessage.startsWith("[SPEC_CHANGED]"))
  }

  test("a join of another kind is refused with SPEC_CHANGED") {
    val store = new InMemoryShardStore
    def open(spec: JoinSpec) = {
      val operator = new StreamStreamJoinOperator[String, Event, Long](
        spec,
        Event,
        row => row(0).map(_.value),
        Context[Event, Long](store = store))
      operator.init()
      operator
    }
    val operator = open(join(JoinKind.Inner))
    operator.addMessage("o", event(1, "o"))
    operator.flush()
    operator.close()
    open(join(JoinKind.Inner)).close()
    assert(intercept[CheckpointError](open(join(JoinKind.Left))).getMessage.startsWith("[SPEC_CHANGED]"))
  }

  private val minutes = WindowOperatorDraft(
    Tumbling(TimeSpan(60)),
    lateness = Some(TimeSpan(10)),
    accumulation = Some(Accumulating))

  private def aggregating(draft: WindowOperatorDraft, store: InMemoryShardStore) = {
    val operator = new AggregatedWindowOperator[String, Event, Long, Long](
      draft.checked,
      Event,
      Sum,
      _.value,
      Context(store = store))
    operator.init()
    operator
  }

  Seq[(String, WindowOperatorDraft)](
    "windows"      -> minutes.copy(window = Tumbling(TimeSpan(30))),
    "accumulation" -> minutes.copy(accumulation = Some(AccumulatingAndRetracting)),
    "completion"   -> minutes.copy(closeOn = CloseOn.NextRow),
    "gaps"         -> minutes.copy(fillGaps = TimeSpan.Endless),
    "early panes"  -> minutes.copy(early = EachBatch),
    "lateness"     -> minutes.copy(lateness = Some(TimeSpan(5)))).foreach { case (field, changed) =>
    test(s"aggregates with another $field are refused with SPEC_CHANGED") {
      val store = new InMemoryShardStore
      val begun = aggregating(minutes, store)
      begun.addMessage("messages", event(1))
      begun.flush()
      begun.close()
      val error = intercept[CheckpointError](aggregating(changed, store))
      assert(error.getMessage.startsWith("[SPEC_CHANGED]") && error.getMessage.contains(s"$field `"))
      aggregating(minutes.copy(late = Every(3), lateness = Some(TimeSpan(20))), store).close()
    }
  }

  test("a value that was damaged is refused by its name") {
    val store = begun()
    store.putHeader(store.header.updated(store.header.length - 1, (store.header.last + 1).toByte))
    assert(intercept[DamagedStateError](opened(fullState(60), store)).getMessage.contains("header"))
  }
}
