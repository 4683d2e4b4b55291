package windrow.operators

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow
import scala.util.Random
import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore}

/** Continues a checkpoint with a longer lateness (SEMANTICS S2). Removed windows stay removed; everything else must be
  * as if the longer lateness had been set from the start.
  */
@Slow
class LongerLatenessSuite extends AnyFunSuite {
  import LongerLatenessSuite._

  private val Short  = 15L
  private val Longer = 140L

  private val aggregated = WindowOperatorDraft(
    Global,
    early = EachBatch,
    late = EachBatch,
    accumulation = Some(AccumulatingAndRetracting))
  private val kept = FullStateDraft(
    Global,
    early = EachBatch,
    late = EachBatch,
    retention = Retention(time = Some(span(500))))

  private val windows: Seq[(String, Opening)] = Seq(
    Tumbling(span(20)),
    Hopping(span(60), span(7)),
    Hopping(span(6), span(9)),
    Sliding(span(30), span(1))).flatMap(kind =>
    Seq(
      s"aggregates, $kind" -> aggregate(aggregated.copy(window = kind)),
      s"full state, $kind" -> fullState(kept.copy(window = kind)))) ++ Seq(
    "aggregates, completed by messages" -> aggregate(
      aggregated.copy(window = Hopping(span(60), span(7)), closeOn = CloseOn.NextRow)),
    "aggregates, gaps filled" -> aggregate(aggregated.copy(window = Tumbling(span(20)), fillGaps = TimeSpan.Endless)))

  windows.foreach { case (name, open) =>
    test(s"S2: $name") {
      val feed    = events(seed = 11, steps = 90, each = 25)
      val changed = runs(open, feed, Seq(0 -> Short, 30 -> Longer, 45 -> Longer, 60 -> Longer))
      val long    = runs(open, feed, Seq(0 -> Longer))
      val left    = feed(29)._2 - Short
      val after   = changed.out.filter(_.step >= 30)
      assert(after.forall(_.end > left))
      // Full state emits a message in the first of the windows that accept it.
      if (name.startsWith("full state"))
        assert(after.flatMap(_.value).diff(long.out.flatMap(_.value)).isEmpty)
      if (!name.startsWith("full state") || name.contains("Tumbling") || name.contains("'6 micro"))
        same(after, long.out.filter(out => out.step >= 30 && out.end > left))
      assert(after.exists(out => out.isLate && out.end + Short <= feed(out.step - 1)._2), "nothing came that late")
      assert(changed.refused.exists(_._1 >= 30))
    }
  }

  private def same[T](found: Seq[T], expected: Seq[T]): Assertion = {
    assert(found.diff(expected).take(3) == Nil)
    assert(expected.diff(found).take(3) == Nil)
  }

  test("S2: aggregates, Over: a rejected row is in no window of later rows") {
    val open    = aggregate(aggregated.copy(window = Over.Range(span(30)), accumulation = Some(Accumulating)))
    val feed    = events(seed = 13, steps = 90, each = 12)
    val changed = runs(open, feed, Seq(0 -> Short, 30 -> Longer, 60 -> Longer))
    val refused = changed.refused.map(_._2).toSet
    val left    = feed(29)._2 - Short
    assert(changed.out.filter(_.step >= 30).forall(_.end > left))
    def last(of: Run) =
      of.out.filter(_.end > left).groupMapReduce(_.message)(_.value.filterNot(refused))((_, next) => next).toSeq
    same(last(changed), last(runs(open, feed, Seq(0 -> Longer))))
  }

  test("S2: a session that has left does not come back") {
    val draft = aggregated.copy(window = Session(span(10)))
    val store = new InMemoryShardStore
    val short = aggregate(draft)(Short, store)
    short.follow(Seq(event(100, 1)), 130)
    assert(short.take().map(_.isLate) == Seq(false))
    short.close()
    val long = aggregate(draft)(Longer, store)
    long.follow(Seq(event(104, 2), event(106, 3)), 131) // their windows end at 114 and 116; all up to 115 were removed
    assert(long.take().map(_.value) == Seq(Seq(3L)))
    assert(long.refused().map(_.offset) == Seq(2L))
  }

  test("S2: a longer lateness changes nothing about how long gaps are filled") {
    val open = aggregate(aggregated.copy(window = Hopping(span(3), span(4)), fillGaps = TimeSpan(50)))
    val feed = (0 until 50).map(step => (if (step < 40) Seq(event(step * 100L, step.toLong)) else Nil, step * 100L + 1))
    for (restart <- Seq(1, 20, 40)) {
      def after(run: Run) = run.out.filter(out => out.step >= restart && out.end > feed(restart - 1)._2)
      val changed         = after(runs(open, feed, Seq(0 -> 0L, restart -> 60L)))
      same(changed, after(runs(open, feed, Seq(0 -> 60L))))
      assert(changed.exists(_.value.isEmpty))
    }
  }

  test("S2: removed rows are remembered over restarts until the longer lateness has passed") {
    val draft = aggregated.copy(window = Tumbling(span(20)))
    val store = new InMemoryShardStore
    def during(lateness: Long)(run: Running => Unit): Unit = {
      val running = aggregate(draft)(lateness, store)
      run(running)
      running.take()
      running.close()
    }
    during(0)(_.follow(Seq(event(1, 1)), 100))
    during(50)(_.follow(Nil, 101))
    during(90)(_.follow(Nil, 102))
    during(1000) { running =>
      running.follow(Seq(event(99, 2), event(101, 3)), 102)
      assert(running.refused().map(_.offset) == Seq(2L) && running.take().map(_.value) == Seq(Seq(3L)))
      running.follow(Nil, 2000)
      running.follow(Seq(event(999, 4), event(1001, 5)), 2000)
      assert(running.refused().map(_.offset) == Seq(4L) && running.take().map(_.value).contains(Seq(5L)))
    }
  }

  Seq[(String, JoinDraft => JoinDraft)](
    "a range"         -> (_.copy(within = Within.Ranges(Map("right" -> JoinRange(span(-20), span(20)))))),
    "the same window" -> (_.copy(within = Within.SameWindow(Hopping(span(40), span(10)))))).foreach {
    case (name, within) =>
      test(s"S2: a join within $name") {
        val feed = events(seed = 12, steps = 90, each = 12)
        val draft = within(JoinDraft(
          Seq(JoinStream("left"), JoinStream("right")),
          hasKeys = true,
          how = JoinKind.Full))
        val open    = join(draft)
        val changed = runs(open, feed, Seq(0 -> Short, 30 -> Longer, 60 -> Longer))
        val long    = runs(open, feed, Seq(0 -> Longer))
        val refused = changed.refused.map(_._2).toSet
        def pairs(of: Run) =
          of.out.filter(out => out.step >= 30 && out.value.size == 2).map(out => (out.step, out.value))
        same(pairs(changed), pairs(long).filterNot(_._2.exists(refused)))
        assert(pairs(changed).size > 100 && changed.refused.exists(_._1 >= 30))
        // No message with a partner is emitted without it, and none is emitted twice.
        val paired = pairs(changed).flatMap(_._2).toSet
        val alone  = changed.out.filter(out => out.step >= 30 && out.value.size == 1).flatMap(_.value)
        assert(alone.forall(!paired(_)) && alone.distinct.size == alone.size)
      }
  }

  test("S2: the retained time of Global cannot change, because rows would count twice") {
    def open(kept: Long, store: InMemoryShardStore) = aggregate(
      aggregated.copy(window = Global, retention = Retention(time = Some(span(kept)))))(0, store)
    val store = new InMemoryShardStore
    val begun = open(50, store)
    begun.follow(Seq(event(1, 1)), 1)
    begun.take()
    begun.close()
    val longer = intercept[CheckpointError](open(60, store))
    assert(longer.getMessage.contains("SPEC_CHANGED") && longer.getMessage.contains("retained time"))
  }

  private val two     = JoinDraft(Seq(JoinStream("left"), JoinStream("right")), hasKeys = true)
  private val ranges  = Within.Ranges(Map("right" -> JoinRange(span(-20), span(20))))
  private val endless = TimeSpan.Endless.micros

  Seq[(String, JoinDraft, Long, Boolean)](
    ("of all that is retained", two.copy(within = Within.Everything), 5, true),
    (
      "of a stream without windows",
      two.copy(streams = Seq(JoinStream("left", Some(Over.Range(span(20)))), JoinStream("right"))),
      5,
      true),
    ("of a range with lateness without end", two.copy(within = ranges), endless, true),
    ("of a range with lateness", two.copy(within = ranges), 5, false)).foreach { case (name, draft, lateness, stays) =>
    test(s"S2: the retained time of a join $name stays where it alone refuses: $stays") {
      def open(kept: Long, store: InMemoryShardStore) =
        join(draft.copy(retention = Retention(time = Some(span(kept)), messages = Some(100))))(lateness, store)
      val store = new InMemoryShardStore
      val begun = open(50, store)
      begun.follow(Seq("left" -> Event("left", "a", 1, 1, 1)), 1)
      begun.take()
      begun.close()
      if (!stays) open(60, store).close()
      else
        assert(intercept[CheckpointError](open(60, store)).getMessage.matches("(?s).*SPEC_CHANGED.*retained time.*"))
    }
  }

  test("S2: the lateness of windows on offsets stays, and none becomes shorter") {
    val store = new InMemoryShardStore
    val begun = aggregate(aggregated.copy(window = OffsetRange(5)))(5, store)
    begun.follow(Seq(event(1, 1)), 1)
    begun.take()
    begun.close()
    val longer = intercept[CheckpointError](aggregate(aggregated.copy(window = OffsetRange(5)))(6, store))
    assert(longer.getMessage.contains("SPEC_CHANGED") && longer.getMessage.contains("lateness"))
  }
}

private object LongerLatenessSuite {
  type Opening = (Long, InMemoryShardStore) => Running

  /** @param value
    *   the offsets in the value
    * @param message
    *   the message of a window of `Over`
    */
  final case class Out(
      step: Int,
      id: String,
      end: Long,
      isLate: Boolean,
      value: Seq[Long],
      message: Option[Seq[Byte]] = None)

  /** @param refused
    *   step and offset of rejected messages
    */
  final case class Run(out: Seq[Out], refused: Seq[(Int, Long)])

  def span(micros: Long): TimeSpan = TimeSpan(micros)

  def event(time: Long, offset: Long): (String, Event) = "messages" -> Event("messages", "a", time, 1, offset)

  /** Messages, half of them far behind the watermark, and the watermark after each step. */
  def events(seed: Int, steps: Int, each: Int): IndexedSeq[(Seq[(String, Event)], Long)] = {
    val random = new Random(seed)
    (0 until steps).map { step =>
      val messages = Seq.tabulate(each) { i =>
        val back = if (random.nextBoolean()) random.nextInt(20) else random.nextInt(220)
        val key  = ('a' + random.nextInt(4)).toChar.toString
        Event(if (random.nextBoolean()) "left" else "right", key, step * 10L - back, 1, step * each.toLong + i)
      }
      (messages.map(event => event.stream -> event), step * 10L - 5)
    }
  }

  abstract class Running {
    type Output
    val operator: WindowOperator[Event, Output]
    def out(output: Output): Out

    def follow(messages: Seq[(String, Event)], watermark: Long): Unit = {
      val only = operator.inputStreams.size == 1
      operator.follow(
        if (only) messages.map { case (_, event) => "messages" -> event.copy(stream = "messages") } else messages,
        Some(watermark),
        None)
    }

    def take(): Seq[Out] = {
      val all = operator.getResult().map(out)
      operator.flush()
      all
    }

    def refused(): Seq[Event] = operator.takeRejected().map(_.message)
    def close(): Unit         = operator.close()
  }

  private def running[R](made: WindowOperator[Event, R])(shown: R => Out): Running = {
    made.init()
    new Running {
      type Output = R
      val operator: WindowOperator[Event, R] = made
      def out(output: R): Out                = shown(output)
    }
  }

  private def pane[V](window: WindowKind, value: V => Seq[Long])(pane: Pane[String, V]): Out = Out(
    0,
    s"${pane.key} ${pane.start} ${pane.timing} ${pane.index} ${pane.isLast} ${pane.isRetraction}",
    window match {
      case _: Sliding | _: Over => pane.end + 1 // the last time is inclusive
      case _                    => pane.end
    },
    pane.timing == Timing.Late,
    value(pane.value),
    pane.message.map(_.toSeq))

  def aggregate(draft: WindowOperatorDraft): Opening = (lateness, store) =>
    running(new AggregatedWindowOperator[String, Event, Set[Long], Seq[Long]](
      draft.copy(lateness = Some(span(lateness))).checked,
      Event,
      AllOffsets,
      event => Set(event.offset),
      Context(store = store)))(pane(draft.window, (offsets: Seq[Long]) => offsets))

  def fullState(draft: FullStateDraft): Opening = (lateness, store) =>
    running(new FullStateWindowOperator[String, Event](
      draft.copy(lateness = Some(span(lateness))).checked,
      Event,
      Context(store = store)))(pane(draft.window, (events: Seq[Event]) => events.map(_.offset)))

  def join(draft: JoinDraft): Opening = (lateness, store) =>
    running(new StreamStreamJoinOperator[String, Event, Seq[Long]](
      draft.copy(lateness = Some(span(lateness))).checked,
      Event,
      row => Some(row.flatten.map(_.offset)),
      Context(store = store)))(offsets => Out(0, "", 0, isLate = false, offsets))

  /** @param latenesses
    *   each lateness, with the step from which it applies
    */
  def runs(open: Opening, feed: Seq[(Seq[(String, Event)], Long)], latenesses: Seq[(Int, Long)]): Run = {
    val store   = new InMemoryShardStore
    val from    = latenesses.toMap
    var running = open(from(0), store)
    val out     = Seq.newBuilder[Out]
    val refused = Seq.newBuilder[(Int, Long)]
    feed.zipWithIndex.foreach { case ((messages, watermark), step) =>
      from.get(step).filter(_ => step > 0).foreach { lateness =>
        running.close()
        running = open(lateness, store)
      }
      running.follow(messages, watermark)
      out ++= running.take().map(_.copy(step = step))
      refused ++= running.refused().map(event => (step, event.offset))
    }
    Run(out.result(), refused.result())
  }

  private object AllOffsets extends Aggregation[Set[Long], Seq[Long]] {
    def zero: Set[Long]                                       = Set.empty
    def combine(left: Set[Long], right: Set[Long]): Set[Long] = left ++ right
    def copy(buffer: Set[Long]): Set[Long]                    = buffer
    def lower(buffer: Set[Long]): Seq[Long]                   = buffer.toSeq.sorted
    def write(buffer: Set[Long], out: ByteWriter): Unit = {
      out.count(buffer.size.toLong)
      buffer.toSeq.sorted.foreach(out.long)
    }
    def read(in: ByteReader): Set[Long] = Seq.fill(in.count().toInt)(in.long()).toSet
  }
}
