package windrow.operators

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.prop.TableDrivenPropertyChecks._
import windrow._

/** Tests the defaults (SEMANTICS R8, R14, R17, R32, E): one row for each field and operator. */
class DefaultsSuite extends AnyFunSuite {
  private val window   = Tumbling(TimeSpan(60))
  private val none     = Some(TimeSpan(0))
  private val tenSecs  = EveryPeriod(TimeSpan(10000000))
  private val kept     = Retention(time = Some(TimeSpan(600)))
  private val range    = Within.Ranges(Map("b" -> JoinRange(TimeSpan(0), TimeSpan(5))))
  private val streams  = Seq(JoinStream("a"), JoinStream("b"))
  private def query    = WindowOperatorDraft(window, none).checked
  private def alone    = AggregatedWindowOperator.draft(window).copy(lateness = none).checked
  private def stateful = FullStateDraft(window, none, retention = kept).checked
  private def join     = JoinDraft(streams, hasKeys = true, range, lateness = none).checked

  private val stated = Table[String, String, Any, Any](
    ("field", "operator", "is", "should be"),
    ("early", "aggregate", query.early, Never),
    ("early", "full state", stateful.early, EachMessage),
    ("early", "join", join.early, EachMessage),
    ("on time", "aggregate", query.onTime, true),
    ("on time", "full state", stateful.onTime, true),
    ("late", "aggregate in a query", query.late, EachBatch),
    ("late", "aggregate standalone", alone.late, tenSecs),
    ("late", "full state", stateful.late, EachMessage),
    ("retention", "aggregate", query.retention, Retention.NotStated),
    ("retention", "join", join.retention, Retention.NotStated),
    ("skipUnchanged", "aggregate", query.skipUnchanged, false),
    ("closeOn", "aggregate", query.closeOn, CloseOn.Watermark),
    ("fillGaps", "aggregate", query.fillGaps, TimeSpan.Zero),
    ("maxFuture", "aggregate", query.maxFuture, None),
    ("maxFuture", "full state", stateful.maxFuture, None),
    ("maxFuture", "join", join.maxFuture, None),
    ("how", "join", join.how, JoinKind.Inner),
    ("waiting outputs", "every operator", Context[Event, Event]().maxWaiting, None),
    ("guards", "every operator", Context[Event, Event]().guards, Guards()),
    ("send", "every operator", Context[Event, Event]().send, None))

  test("defaults") {
    forAll(stated)((field, operator, is, should) => assert(is == should, s"$field of $operator"))
  }

  private def codes(checked: Either[Seq[SpecProblem], _]): Seq[String] = checked.left.getOrElse(Nil).map(_.code)

  private val required = Table[String, Either[Seq[SpecProblem], _], Seq[String]](
    ("what is left unsaid", "spec", "refused with"),
    ("lateness of an aggregate", WindowOperatorDraft(window).check, Seq("LATENESS_NOT_STATED")),
    ("lateness of full state", FullStateDraft(window, retention = kept).check, Seq("LATENESS_NOT_STATED")),
    ("lateness of a join", JoinDraft(streams, hasKeys = true, range).check, Seq("LATENESS_NOT_STATED")),
    ("retention of full state", FullStateDraft(window, none).check, Seq("RETENTION_NOT_STATED")),
    ("what bounds a join", JoinDraft(streams, hasKeys = true, lateness = none).check, Seq("UNBOUNDED_JOIN")),
    (
      "accumulation with early panes",
      WindowOperatorDraft(window, none, early = EachBatch).check,
      Seq("ACCUMULATION_NOT_STATED")),
    (
      "accumulation with late panes",
      WindowOperatorDraft(window, Some(TimeSpan(1))).check,
      Seq("ACCUMULATION_NOT_STATED")),
    ("accumulation of one pane", WindowOperatorDraft(window, none).check, Nil),
    ("accumulation of full state", FullStateDraft(window, Some(TimeSpan(1)), retention = kept).check, Nil),
    ("lateness of counts", WindowOperatorDraft(Count(5)).check, Nil),
    ("a trigger of everything", WindowOperatorDraft(Global).check, Seq("TRIGGER_NOT_STATED")))

  test("required fields of a spec") {
    forAll(required)((what, spec, refused) => assert(codes(spec) == refused, what))
  }

  test("R14: JSON without `late` takes that of the place where it runs") {
    val mapper = new ObjectMapper
    def read(json: String, late: PaneTrigger) =
      OperatorJson.read(mapper.readTree(json).asInstanceOf[ObjectNode], Map.empty, late) match {
        case Right(CheckedSpec.Aggregate(spec)) => spec.late
        case Right(CheckedSpec.CoGroup(spec))   => spec.window.late
        case Right(CheckedSpec.FullState(spec)) => spec.late
        case other                              => fail(other.toString)
      }
    val fields  = """"window": {"kind": "tumbling", "size": 60}, "lateness": 5, "accumulation": "discarding""""
    val streams = """"operator": "cogroup", "streams": [{"name": "a"}, {"name": "b"}]"""
    for ((late, of) <- Seq(EachBatch -> EachBatch, AggregatedWindowOperator.Late -> tenSecs)) {
      assert(read(s"{$fields}", late) == of)
      assert(read(s"{$streams, $fields}", late) == of)
      assert(read(s"""{"late": null, $fields}""", late) == Never)
      assert(read(
        s"""{"operator": "full_state", "retention": {"time": 90}, $fields}""",
        late) == EachMessage)
    }
  }
}
