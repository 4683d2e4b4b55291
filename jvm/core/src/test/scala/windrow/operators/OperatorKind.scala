package windrow.operators

import windrow._
import windrow.core.state.{InMemoryShardStore, ShardStore}

/** A kind of operator, for tests that apply to all kinds. Its output is formatted as text. */
final class OperatorKind(
    val name: String,
    val streams: Seq[String],
    make: OperatorKind.Setting => OperatorKind.Running) {

  def open(
      store: ShardStore = new InMemoryShardStore,
      admit: Event => Option[Event] = Some(_),
      send: Option[String => Boolean] = None,
      maxWaiting: Option[Int] = None): OperatorKind.Running = {
    val running = make(OperatorKind.Setting(store, admit, send, maxWaiting))
    running.operator.init()
    running
  }

  override def toString: String = name

  /** Whether nothing in the operator depends on the start of the stream. */
  def isRebuiltInFull: Boolean = !name.contains("policy") && !name.contains("counts")
}

object OperatorKind {

  final case class Setting(
      store: ShardStore,
      admit: Event => Option[Event],
      send: Option[String => Boolean],
      maxWaiting: Option[Int]) {
    def context[R](show: R => String): Context[Event, R] = Context(
      "the operator",
      store,
      Hooks[Event, R](admit, Some(_)),
      send.map(take => (out: R) => take(show(out))),
      maxWaiting,
      identity = Seq("an operator", "of these tests"))
  }

  abstract class Running {
    type Output
    val operator: WindowOperator[Event, Output]
    def show(output: Output): String

    def waiting: Seq[String] = operator.getResult().map(show)

    /** Returns the output since the last call. */
    def take(): Seq[String] = {
      val out = waiting
      operator.flush()
      out
    }
  }

  private def running[R](setting: Setting, shown: R => String)(
      of: Context[Event, R] => WindowOperator[Event, R]): Running = new Running {
    type Output = R
    val operator: WindowOperator[Event, R] = of(setting.context(shown))
    def show(output: R): String            = shown(output)
  }

  private def pane[V](value: V => String)(pane: Pane[String, V]): String =
    s"${pane.key} ${pane.start} ${pane.end} ${pane.timing} ${pane.index} ${pane.isLast} ${value(pane.value)}"

  private def sum(pane: Pane[String, Long]): String = OperatorKind.pane[Long](_.toString)(pane)
  private def messages(pane: Pane[String, Seq[Event]]): String =
    OperatorKind.pane[Seq[Event]](_.map(_.offset).mkString(","))(pane)

  private def span(micros: Long) = TimeSpan(micros)

  private def aggregate(name: String, draft: WindowOperatorDraft) =
    new OperatorKind(
      name,
      Seq("messages"),
      running[Pane[String, Long]](_, sum)(new AggregatedWindowOperator(draft.checked, Event, Sum, _.value, _)))

  private def fullState(name: String, draft: FullStateDraft) = new OperatorKind(
    name,
    Seq("messages"),
    running[Pane[String, Seq[Event]]](_, messages)(new FullStateWindowOperator(draft.checked, Event, _)))

  private def join(name: String, draft: JoinDraft) = new OperatorKind(
    name,
    draft.streams.map(_.name),
    running[String](_, identity)(
      new StreamStreamJoinOperator[String, Event, String](
        draft.checked,
        Event,
        row => Some(row.map(_.fold("-")(_.offset.toString)).mkString("~")),
        _)))

  private def merge(name: String, draft: WindowOperatorDraft) = new OperatorKind(
    name,
    Seq("left", "right"),
    running[Pane[String, Vector[(Event, Event)]]](
      _,
      pane[Vector[(Event, Event)]](_.map { case (a, b) => s"${a.offset}~${b.offset}" }.mkString(",")))(
      new MergedWindowOperator(draft.checked, Seq("left", "right"), Event, new InnerJoin(Event.messages), _)))

  private def policy(name: String, eviction: Eviction) = new OperatorKind(
    name,
    Seq("messages"),
    running[PolicyOutput[String, Event, Long]](
      _,
      {
        case PolicyOutput.Fired(fired) => sum(fired)
        case PolicyOutput.Happened(event) =>
          s"${event.key} ${event.kind} ${event.sequence} ${event.messages.map(_.offset)}"
      })(new PolicyWindowOperator(
      PolicyWindowSpec.check(eviction).toOption.get,
      Event,
      Sum,
      (event: Event) => event.value,
      _,
      measure = (event, _) => event.value.toDouble)))

  private val kept = Retention(time = Some(span(120)), messages = Some(12))

  val all: Seq[OperatorKind] = Seq(
    aggregate(
      "an aggregator of hopping windows",
      AggregatedWindowOperator.draft(Hopping(span(20), span(10))).copy(
        lateness = Some(span(15)),
        early = Every(3),
        late = EveryPeriod(span(10)),
        accumulation = Some(AccumulatingAndRetracting))),
    aggregate(
      "an aggregator of sessions",
      WindowOperatorDraft(Session(span(7)), Some(span(20)), accumulation = Some(Accumulating))),
    aggregate(
      "an aggregator of sessions of limited length",
      WindowOperatorDraft(
        Session(span(7), maxLength = Some(span(20))),
        Some(span(20)),
        accumulation = Some(Accumulating))),
    aggregate(
      "an aggregator of sliding windows",
      WindowOperatorDraft(
        Sliding(span(9), span(1)),
        Some(span(5)),
        late = EachMessage,
        accumulation = Some(Discarding))),
    fullState(
      "full state of tumbling windows",
      FullStateDraft(
        Tumbling(span(20)),
        Some(span(15)),
        early = EveryPeriod(span(8)),
        late = Every(2),
        retention = kept)),
    fullState("full state of sessions", FullStateDraft(Session(span(7)), Some(span(15)), retention = kept)),
    fullState(
      "full state of sliding windows",
      FullStateDraft(Sliding(span(9), span(1)), Some(span(5)), late = Every(2), retention = kept)),
    fullState("full state of windows over messages", FullStateDraft(Over.Rows(3), Some(span(5)), retention = kept)),
    fullState("full state of counts", FullStateDraft(Count(3, 2), early = Never, retention = kept)),
    fullState(
      "full state of offsets",
      FullStateDraft(OffsetRange(5), Some(span(3)), early = Every(2), retention = kept, startOffsets = Map(0L -> 1L))),
    fullState("full state of tuple sessions", FullStateDraft(OffsetSession(1), retention = kept)),
    join(
      "an inner join",
      JoinDraft(
        Seq(JoinStream("left"), JoinStream("right")),
        hasKeys = true,
        Within.Ranges(Map("right" -> JoinRange(span(-5), span(10)))),
        lateness = Some(span(10)))),
    join(
      "a full join of windows by period",
      JoinDraft(
        Seq(JoinStream("left", Some(Tumbling(span(20)))), JoinStream("right", Some(Over.Range(span(15))))),
        hasKeys = true,
        how = JoinKind.Full,
        early = EveryPeriod(span(12)),
        lateness = Some(span(10)))),
    merge(
      "a merge of two streams",
      WindowOperatorDraft(Hopping(span(20), span(10)), Some(span(10)), accumulation = Some(Accumulating))),
    policy("tumbling policy windows", Eviction.Tumbling(ByTime(span(25)))),
    policy("sliding policy windows", Eviction.Sliding(ByCount(4), ByDelta("value", 3))))
}
