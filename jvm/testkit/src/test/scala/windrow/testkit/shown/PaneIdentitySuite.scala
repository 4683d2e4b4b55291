package windrow.testkit.shown

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random
import windrow._
import windrow.core.operator.{Entry, IncomingPane}
import windrow.core.state.{ByteWriter, Key}
import windrow.core.time.Watermark
import windrow.replay._
import windrow.testkit._

/** Checks that a retraction repeats its pane bit for bit, and that, if only updated panes fire, a pane never repeats
  * the previous one. Uses aggregates whose result depends on the grouping of their input (SEMANTICS R18, R90, E4), with
  * each kind of windows, each policy, each division of the state and restarts anywhere. Chained operators must give the
  * result of the panes that are not retracted (R55).
  */
final class PaneIdentitySuite extends AnyFunSuite {
  private val count = math.max(25, Drawn.cases / 10)

  /** The number of chains for each of four families; together as many as there are random cases. */
  private val chains = math.max(25, Drawn.cases / 4)
  private val first  = Drawn.first

  private type Shown = Pane[Key, Seq[Long]]

  // ---- cases

  private def draftOf(transcript: TranscriptCase): WindowOperatorDraft = transcript.operator match {
    case Right(OperatorSpec.Aggregate(spec, _)) => spec.draft
    case other                                  => throw new AssertionError(s"${transcript.id}: $other")
  }

  /** Changes a spec so that most windows fire more than once. */
  private def again(draft: WindowOperatorDraft, seed: Long): WindowOperatorDraft = {
    val long = draft.window match {
      case Sliding(_, granularity) => TimeSpan(granularity.micros * 60)
      case _                       => TimeSpan(60 * RandomSpec.pace(draft.window))
    }
    val sure = draft.copy(
      lateness = if (draft.lateness.exists(_ != TimeSpan.Endless) && seed % 4 != 0) Some(long) else draft.lateness,
      early = if (seed % 3 == 0) draft.early else Never,
      late = if (seed % 5 == 0) draft.late else EachBatch,
      onTime = true,
      retention = draft.retention.copy(time = None),
      accumulation = Some(if (seed % 4 == 1) Accumulating else AccumulatingAndRetracting),
      skipUnchanged = seed % 4 == 1 || seed % 8 == 2)
    if (sure.check.isRight) sure
    else draft.copy(accumulation = Some(AccumulatingAndRetracting), skipUnchanged = false)
  }

  private def feeds(transcript: TranscriptCase): Seq[Step] = transcript.steps.filter {
    case _: Step.Ask => false
    case _           => true
  }

  private def entry(window: WindowKind)(message: Message): Entry[Parts] = {
    val value = window.rowValue.of(message.gap)
    Entry(
      CoreKey.write(message.key),
      message.time.filter(_ => value.isDefined),
      value.getOrElse(0L),
      count = 1,
      FragileSum.lift(FragileSum.value(message.value)),
      raw = MessageCodec.bytes(message),
      CoreStores.origin(message),
      message.pane.map(pane =>
        IncomingPane(pane.start, pane.end, pane.timing, pane.isRetraction, CoreKey.write(message.value))))
  }

  private def sorted(window: WindowKind, messages: Seq[Message]) = messages.sorted(window match {
    case _: TupleWindows => Message.ByPosition
    case _               => Message.Order
  })

  // ---- laws of the output

  /** The identity of a window of a key: its message if it has one, otherwise its bounds. */
  private def window(pane: Shown): Any = pane.message match {
    case Some(bytes) => (pane.key, new Key(bytes))
    case None        => (pane.key, pane.start, pane.end, pane.partition)
  }

  private def plain(pane: Shown): Any =
    (window(pane), pane.start, pane.end, pane.timing, pane.index, pane.isLast, pane.value)

  /** Returns a law that the panes of an operator break, or None. */
  private def wrong(draft: WindowOperatorDraft, panes: Seq[Shown]): Option[String] = {
    val live =
      mutable.Map.empty[Any, List[Shown]] // several, because windows with equal messages have the same identity
    panes.iterator.flatMap { pane =>
      val before = live.getOrElse(window(pane), Nil)
      if (pane.isRetraction) {
        val (same, others) = before.partition(plain(_) == plain(pane))
        live(window(pane)) = same.drop(1) ++ others
        Option.when(same.isEmpty)(s"$pane takes back none of $before")
      } else {
        live(window(pane)) = if (pane.message.isDefined) pane :: before else List(pane)
        if (draft.skipUnchanged && pane.message.isEmpty && before.exists(_.value == pane.value) && pane.index > 0)
          Some(s"$pane is as $before")
        else Option.when(
          draft.accumulation.contains(
            AccumulatingAndRetracting) && pane.message.isEmpty && before.nonEmpty && pane.index > 0)(
          s"$pane comes beside $before")
      }
    }.nextOption()
  }

  /** Returns the ways to run a case: unchanged, in pieces with restarts everywhere, and in other orders and steps. */
  private def tellings(transcript: TranscriptCase, seed: Long): Seq[(Seq[Step], Int, Int, Boolean)] = Seq(
    (feeds(transcript), 1, 512, false),
    (feeds(transcript), 4, 1, true),
    (feeds(Recut.cut(Recut.shuffled(transcript, seed), seed)), 1, 1, seed % 2 == 0))

  private def run(
      draft: WindowOperatorDraft,
      aggregation: FragileSum,
      telling: (Seq[Step], Int, Int, Boolean))(hear: (Seq[Shown], Watermark) => Unit): Unit = {
    val (steps, shards, large, restarts) = telling
    val rig                              = new Rig(draft.checked, aggregation, shards, large)
    var clock                            = Option.empty[Long]
    steps.foreach {
      case feed: Step.Feed =>
        clock = feed.processingTime.orElse(clock)
        val watermark = feed.watermark.fold(Watermark.None)(Watermark(_))
        hear(rig.step(sorted(draft.window, feed.messages).map(entry(draft.window)), watermark, clock), watermark)
        if (restarts) rig.restart()
      case _ => rig.restart()
    }
    hear(rig.step(Nil, Watermark.End, clock), Watermark.End)
  }

  private def found(family: RandomFamily, seeds: Iterable[Long], aggregation: FragileSum): Iterator[String] = for {
    seed <- seeds.iterator
    transcript = RandomCase(seed, family, counters = false)
    draft      = again(draftOf(transcript), seed)
    telling <- tellings(transcript, seed)
    panes = {
      val all = Vector.newBuilder[Shown]; run(draft, aggregation, telling)((some, _) => all ++= some); all.result()
    }
    problem <- wrong(draft, panes)
  } yield s"${transcript.id}, ${telling._2} shards, restarts ${telling._4}: $problem in $draft"

  for (family <- RandomFamily.All)
    test(s"R90: $count ${family.name} cases from seed $first: a retraction repeats its pane to the bit") {
      val problem = found(family, first until first + count, new FragileSum).nextOption()
      assert(problem.isEmpty, problem.getOrElse(""))
    }

  private val dense = RandomFamily.ByFirstMessage.copy(windows =
    random => Hopping(TimeSpan(20L + random.nextInt(20)), TimeSpan(2)))

  for (family <- Seq(RandomFamily.Aligned, RandomFamily.SlidingWindows, RandomFamily.OverWindows, dense))
    test(s"a fault is found: panes of ${family.name} windows that are made again") {
      assert(found(family, 1L to 400L, new FragileSum(isExact = true)).hasNext)
    }

  // ---- chains

  /** Turns the panes of an operator into messages of the next one, which has fewer keys. */
  private def handed(panes: Seq[Shown], closed: Boolean, coarser: Key => Key): Seq[Entry[Parts]] = panes.map { pane =>
    val end = if (closed) pane.end + 1 else pane.end
    Entry(
      coarser(pane.key),
      Some(pane.start),
      value = 0,
      count = 1,
      FragileSum.lift(java.lang.Double.longBitsToDouble(pane.value.head)),
      raw = Array.empty[Byte],
      None,
      Some(IncomingPane(pane.start, end, pane.timing, pane.isRetraction, content(pane))))
  }

  /** The content of a pane as Spark's side stores it: timing, index, and the input of the aggregates. */
  private def content(pane: Shown): Key = {
    val out = new ByteWriter
    out.byte(pane.timing.code.toInt)
    out.long(pane.index)
    out.long(pane.value.head)
    new Key(out.result())
  }

  private def inherited(draft: WindowOperatorDraft): WindowOperatorDraft = WindowOperatorDraft(
    Inherit(),
    draft.lateness,
    late = EachBatch,
    accumulation = Some(AccumulatingAndRetracting))

  /** Returns, for each coarser key and window, the number of panes that are not retracted and the sum of their bits. */
  private def holding(panes: Seq[Shown], closed: Boolean, coarser: Key => Key): Map[(Key, Long, Long), (Long, Long)] = {
    val live = mutable.Map.empty[Any, Shown]
    panes.foreach(pane => if (pane.isRetraction) live -= window(pane) else live(window(pane)) = pane)
    live.values.toSeq.groupMap(pane => (coarser(pane.key), pane.start, if (closed) pane.end + 1 else pane.end))(pane =>
      FragileSum.mixed(pane.value.head)).map { case (at, bits) => at -> ((bits.size.toLong, bits.sum)) }
  }

  private def shownLast(panes: Seq[Shown]): Map[(Key, Long, Long), (Long, Long)] = {
    val live = mutable.Map.empty[(Key, Long, Long), (Long, Long)]
    panes.foreach { pane =>
      val at = (pane.key, pane.start, pane.end)
      if (pane.isRetraction) live -= at else live(at) = (pane.value(1), pane.value(2))
    }
    live.toMap
  }

  private val halves: Key => Key = key => new Key(Array((key.bytes.map(_.toInt).sum & 1).toByte))
  private val one: Key => Key    = _ => new Key(Array.empty[Byte])

  /** Runs a chain of three operators. Returns a law that the second or the third operator breaks, or None. */
  private def chain(family: RandomFamily, seed: Long, aggregation: FragileSum): Option[String] = {
    val transcript = RandomCase(seed, family, counters = false)
    val draft      = again(draftOf(transcript), seed * 4).copy(accumulation = Some(AccumulatingAndRetracting))
    val closed     = draft.window.isInstanceOf[Sliding]
    val random     = new Random(seed)
    val over       = inherited(draft).checked
    val rigs       = Seq.fill(2)(new Rig(over, new FragileSum, 1 + random.nextInt(3), 1))
    val all        = Vector.fill(3)(Vector.newBuilder[Shown])
    def hear(panes: Seq[Shown], watermark: Watermark): Unit = {
      all(0) ++= panes
      val second = pass(rigs(0), handed(panes, closed, halves), watermark)
      all(1) ++= second
      all(2) ++= pass(rigs(1), handed(second, closed = false, one), watermark)
      if (random.nextInt(3) == 0) rigs.foreach(_.restart())
    }
    run(draft, aggregation, tellings(transcript, seed)((seed % 3).toInt))(hear)
    val (lower, middle, upper) = (all(0).result(), all(1).result(), all(2).result())
    wrong(inherited(draft), middle).orElse(wrong(inherited(draft), upper))
      .orElse(differ("second", holding(lower, closed, halves), shownLast(middle)))
      .orElse(differ("third", holding(middle, closed = false, one), shownLast(upper)))
      .map(problem => s"${transcript.id}: $problem in $draft")
  }

  /** Passes panes to the next operator. At the end of the input, passes the panes first and closes windows in another
    * step.
    */
  private def pass(rig: Rig, entries: Seq[Entry[Parts]], watermark: Watermark): Seq[Shown] =
    if (watermark.isEnd) rig.step(entries, Watermark.None, None) ++ rig.step(Nil, Watermark.End, None)
    else rig.step(entries, watermark, None)

  private def differ[K, V](which: String, wanted: Map[K, V], found: Map[K, V]): Option[String] =
    (wanted.keySet ++ found.keySet).find(at => wanted.get(at) != found.get(at))
      .map(at => s"the $which operator: $at must be ${wanted.get(at)}, is ${found.get(at)}")

  private val chained =
    Seq(RandomFamily.Aligned, RandomFamily.Calendar, RandomFamily.Sessions, RandomFamily.SlidingWindows)

  for (family <- chained)
    test(
      s"R55: $chains chains of ${family.name} windows with two operators over them give what the panes that hold give") {
      val problem = (first until first + chains).iterator.flatMap(chain(family, _, new FragileSum)).nextOption()
      assert(problem.isEmpty, problem.getOrElse(""))
    }

  test("a fault is found: an operator over panes that are made again") {
    assert((1L to 1000L).exists(seed => chain(RandomFamily.Aligned, seed, new FragileSum(isExact = true)).isDefined))
  }
}
