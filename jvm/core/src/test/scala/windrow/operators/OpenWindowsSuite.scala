package windrow.operators

import java.time.ZoneOffset
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore}

/** Compares the open windows of an aggregator, as queries return them, with its last panes (SEMANTICS R22, R23). They
  * must be equal because each step fires every window that it changed.
  */
class OpenWindowsSuite extends AnyFunSuite {
  import OpenWindowsSuite.Summary

  /** Collects the offsets of the messages. */
  private object Offsets extends Aggregation[Set[Long], Set[Long]] {
    def zero: Set[Long]                                       = Set.empty
    def combine(left: Set[Long], right: Set[Long]): Set[Long] = left ++ right
    def copy(buffer: Set[Long]): Set[Long]                    = buffer
    def lower(buffer: Set[Long]): Set[Long]                   = buffer
    def write(buffer: Set[Long], out: ByteWriter): Unit = {
      out.count(buffer.size.toLong)
      buffer.foreach(out.long)
    }
    def read(in: ByteReader): Set[Long] = Seq.fill(in.count().toInt)(in.long()).toSet
  }

  private type Operator = AggregatedWindowOperator[String, Event, Set[Long], Set[Long]]
  private type Out      = Pane[String, Set[Long]]

  private def open(spec: WindowOperatorSpec, store: InMemoryShardStore): Operator = {
    val made: Operator = new AggregatedWindowOperator(
      spec,
      Event,
      Offsets,
      (event: Event) => Set(event.offset),
      Context[Event, Out](store = store))
    made.init()
    made
  }

  private def span(micros: Long) = TimeSpan(micros)

  private val eager = WindowOperatorDraft(
    Global,
    Some(span(0)),
    early = EachBatch,
    late = EachBatch,
    accumulation = Some(AccumulatingAndRetracting))

  private val specs = Seq(
    eager.copy(window = Tumbling(span(20)), lateness = Some(span(15))),
    eager.copy(window = Hopping(span(20), span(6)), lateness = Some(span(15))),
    eager.copy(window = Hopping(span(6), span(9)), lateness = Some(span(15))),
    eager.copy(window = Tumbling(span(20)), lateness = Some(span(15)), fillGaps = TimeSpan.Endless),
    eager.copy(window = Tumbling("1 day", ZoneOffset.UTC), lateness = Some(span(9))),
    eager.copy(window = Session(span(7)), lateness = Some(span(9))),
    eager.copy(window = Sliding(span(9), span(1)), lateness = Some(span(5))),
    eager.copy(window = Over.Range(span(9)), lateness = Some(span(5)), accumulation = Some(Accumulating)),
    eager.copy(window = Over.Rows(3), lateness = Some(span(9)), accumulation = Some(Accumulating)),
    eager.copy(window = Over.Everything, lateness = Some(span(9)), accumulation = Some(Accumulating)),
    eager.copy(window = Count(4, 3)),
    eager.copy(window = windrow.OffsetRange(5), lateness = Some(span(4))),
    eager.copy(window = OffsetSession(1)),
    eager,
    eager.copy(
      window = Tumbling(span(20)),
      lateness = Some(span(15)),
      closeOn = CloseOn.NextRow),
    eager.copy(window = Over.Range(span(9)), lateness = Some(span(5)), closeOn = CloseOn.NextRow))

  specs.foreach { draft =>
    test(s"R22: the open windows are those of the last panes: ${draft.window}, ${draft.closeOn}, ${draft.fillGaps}") {
      val store   = new InMemoryShardStore
      var running = open(draft.checked, store)
      var shown   = Map.empty[Id, Out]
      var found   = Seq.empty[Summary]
      var most    = 0
      LifeCycleSuite.script(OperatorKind.all.head, seed = 17).zipWithIndex.foreach { case (action, i) =>
        val before = shown
        action(running)
        running.getResult().foreach { pane =>
          // A window that fires again was open.
          if (!pane.isRetraction)
            before.get(id(pane)).foreach(last => assert(found.contains(summary(last)), s"step $i"))
          if (pane.isRetraction) shown -= id(pane) else shown += id(pane) -> pane
        }
        running.flush()
        if (i % 7 == 3) {
          running.close()
          running = open(draft.checked, store)
        }
        val windows = running.getWindows(None, None)
        most = math.max(most, windows.size)
        found = windows.map(summary)
        val panes = shown.values.map(summary).toSeq
        assert(found.filter(_.panes > 0).diff(panes) == Nil, s"after $action, step $i")
        windows.foreach(check(running, _))
      }
      assert(most > 1 || draft.window == Global)
    }
  }

  private type Id = (String, Long, Long, Option[Seq[Byte]])

  /** Returns the identity of a window. A window of `Over` is identified by its message, wherever it starts. */
  private def id(pane: Out): Id =
    (pane.key, if (pane.message.isEmpty) pane.start else 0, pane.end, pane.message.map(_.toSeq))

  private def summary(pane: Out): Summary = Summary(pane.key, pane.end, pane.value, Some(pane.timing), pane.index + 1)

  private def summary(one: WindowValue[String, Set[Long]]): Summary =
    Summary(one.window.key, one.window.end, one.value, one.window.lastTiming, one.window.panes)

  private def check(running: Operator, one: WindowValue[String, Set[Long]]): Unit = {
    val window = one.window
    assert(window.count == one.value.size)
    assert(window.offsets.values.map(_.first).toSeq == one.value.minOption.toSeq)
    assert(window.offsets.values.map(_.last).toSeq == one.value.maxOption.toSeq)
    assert(running.getWindows(Some(window.start), Some(window.start), Some(window.key)).contains(one))
  }

  test("R23: a query takes every window that overlaps a closed range, and one by key and start") {
    val running = open(eager.copy(window = Hopping(span(10), span(5))).checked, new InMemoryShardStore)
    running.addMessages("messages", Seq(Event("messages", "a", 7, 1, 1), Event("messages", "b", 12, 1, 2)))
    def starts(start: Long, end: Long) = running.getWindows(Some(start), Some(end)).map(one =>
      (one.window.key, one.window.start))
    assert(starts(9, 9) == Seq("a" -> 0L, "a" -> 5L, "b" -> 5L))
    assert(starts(10, 10) == Seq("a" -> 5L, "b" -> 5L, "b" -> 10L))
    assert(starts(20, 99).isEmpty)
    val one = running.getWindow("b", 10).get
    assert(one.value == Set(2L) && !one.window.isComplete && one.window.lastTiming.contains(Timing.Early))
    assert(running.getWindow("b", 0).isEmpty)
  }
}

private object OpenWindowsSuite {
  final case class Summary(key: String, end: Long, value: Set[Long], last: Option[Timing], panes: Long)
}
