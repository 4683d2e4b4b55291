package windrow.testkit.large

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.replay.Value.Whole
import windrow.replay._
import windrow.testkit._

/** Runs streams of thousands of messages through the core, with a snapshot and a restore between any two steps. Last
  * values, the ledger and rejected messages must be those that plain collections give (SEMANTICS A, R1, R6, R13, R37,
  * R53, R82).
  */
class LargeSuite extends AnyFunSuite {
  private val sizes = sys.props.getOrElse("windrow.mode", "default") match {
    case "quick" => Seq(300)
    case "full"  => Seq(300, 3000, 3000, 30000)
    case _       => Seq(300, 3000)
  }
  private val rounds = math.max(1, Drawn.cases / 2000)
  private val first  = Drawn.first

  private type Problem = Option[String]

  private def run(spec: com.fasterxml.jackson.databind.node.ObjectNode, steps: Seq[Step], shards: Int) = {
    val transcript = TranscriptCase(
      "large",
      None,
      TimeUnit.Micros,
      spec,
      steps :+ Step.Ask(Query.Counters),
      Some(AtEnd(isFinal = true)))
    new CoreEngine(shards).run(Recut.restarted(transcript)) match {
      case ran: Outcome.Ran => ran
      case other            => fail(other.toString)
    }
  }

  private def fed(steps: Seq[(Seq[Message], Long)]): Seq[Step] = steps.map { case (messages, watermark) =>
    Step.Feed(messages, Some(watermark).filter(_ != Long.MinValue))
  }

  private def emissions(ran: Outcome.Ran): Seq[Emission] =
    ran.results.collect { case StepResult.Emitted(emission) => emission } ++ ran.atEnd

  private def number(value: Value): Long = value match {
    case Whole(number) => number
    case other         => fail(other.toString)
  }

  private def windows(kind: LargeStream => WindowKind)(stream: LargeStream, shards: Int): Problem = {
    val steps    = stream.made()
    val walk     = new Walk(steps)
    val window   = kind(stream)
    val lateness = if (stream.seed % 2 == 0) 0L else stream.span / 10
    val timed = window match {
      case Global | _: Count | _: OffsetSession => false
      case _                                    => true
    }
    val draft = WindowOperatorDraft(
      window,
      lateness = Option.when(timed)(TimeSpan(lateness)),
      early = if (window == Global) EachBatch else if (timed && stream.seed % 3 == 0) Every(50) else Never,
      accumulation = Some(Accumulating))
    val ran    = run(RandomCase.json(draft, Seq("n" -> "count", "s" -> "sum")), fed(steps), shards)
    val wanted = Recomputed(window, lateness, walk)
    val panes = emissions(ran).flatMap(_.panes).foldLeft(Map.empty[Place, Sum]) { (live, pane) =>
      val (values, of) = pane.value match {
        case Content.Values(values, message) => (values, message.map(m => number(m.value)))
        case other                           => fail(other.toString)
      }
      val place = Place(number(pane.key), if (of.isDefined) 0 else pane.start, pane.end, of)
      if (pane.isRetraction) live - place else live + (place -> Sum(number(values("n")), number(values("s"))))
    }
    val places = wanted.windows.map { case (place, sum) =>
      (if (place.of.isDefined) place.copy(start = 0) else place) -> sum
    }
    differ("last values", places, panes).orElse(
      ledger(ran, walk, wanted.rejected.map((None, _)), wanted.gaps, Recomputed.refuses(window, lateness)))
  }

  /** @param refuses
    *   whether every window rejects the message if it arrives again
    */
  private def ledger(
      ran: Outcome.Ran,
      walk: Walk,
      rejected: Set[Judged.Id],
      gaps: Int,
      refuses: Judged => Boolean): Problem = {
    val refused   = emissions(ran).flatMap(_.rejected).map(one => (one.stream, number(one.value)))
    val counters  = ran.results.collect { case StepResult.Answered(Answer.Counters(counters)) => counters }.last
    val forgotten = walk.forgotten(refuses)
    val times     = refused.groupBy(identity).map { case (one, all) => one -> all.size }
    val sum = Map(
      "accepted"   -> (walk.messages.size - rejected.size - gaps).toLong,
      "rejected"   -> refused.size.toLong,
      "duplicates" -> (walk.read - (walk.messages.size - rejected.size - gaps) - refused.size - counters("gaps")))
    (rejected ++ times.keys).find { one =>
      val least = if (rejected(one)) 1 else 0
      times.getOrElse(one, 0) < least || times.getOrElse(one, 0) > least + forgotten.getOrElse(one, 0)
    }.map(one =>
      s"rejected: $one ${times.getOrElse(one, 0)} times; of its own ${rejected(one)}, then ${forgotten.get(one)}")
      .orElse(differ("counts", sum, counters.filter(c => sum.contains(c._1))))
      .orElse(Option.when(counters("gaps") < gaps || counters("gaps") > gaps + forgotten.values.sum)(
        s"gaps: ${counters("gaps")} instead of $gaps"))
  }

  private def differ[K, V](what: String, wanted: Map[K, V], found: Map[K, V]): Problem =
    (wanted.keySet ++ found.keySet).find(key => wanted.get(key) != found.get(key))
      .map(key => s"$what: $key must be ${wanted.get(key)}, is ${found.get(key)}")

  private def fullState(stream: LargeStream, shards: Int): Problem = {
    val steps        = stream.made()
    val walk         = new Walk(steps)
    val (size, step) = (stream.span / 30, stream.span / 90)
    val spec = FullStateDraft(
      Hopping(TimeSpan(size), TimeSpan(step)),
      Some(TimeSpan.Zero),
      retention = Retention(time = Some(TimeSpan(stream.span)))).checked
    val asked  = Step.Ask(Query.GetMessages(None, None, None, Query.ByTime))
    val ran    = run(OperatorJson.write(spec), fed(steps).flatMap(Seq(_, asked)), shards)
    val wanted = Recomputed(spec.window, 0, walk)
    val accepted = walk.messages.filterNot(one => wanted.rejected(one.number)).map { one =>
      val last   = one.time - Math.floorMod(one.time, step)
      val starts = Iterator.iterate(last)(_ - step).takeWhile(_ + size > one.time)
      one.number -> Seq(starts.filter(start => one.before.forall(_ < start + size)).min)
    }
    val found = emissions(ran).flatMap(_.panes).flatMap { pane =>
      pane.value match {
        case Content.Messages(messages) => messages.map(message => number(message.value) -> pane.start)
        case other                      => fail(other.toString)
      }
    }.groupMap(_._1)(_._2)
    differ("where messages come out", accepted.toMap, found)
      .orElse(differ("kept", kept(walk, wanted.rejected, stream.span), answered(ran)))
      .orElse(ledger(ran, walk, wanted.rejected.map((None, _)), 0, Recomputed.refuses(spec.window, 0)))
  }

  /** Returns the numbers of the messages that are not older than the retention after each step, in order (R10, R11,
    * R24).
    */
  private def kept(walk: Walk, rejected: Set[Long], retention: Long): Map[Int, Seq[Long]] =
    walk.watermarks.zipWithIndex.map { case (after, step) =>
      val from = if (after == Long.MinValue) after else after - retention
      step -> walk.messages.filter(one => one.step <= step && one.time >= from && !rejected(one.number))
        .sortBy(one => (one.time, one.message.partition, one.message.offset)).map(_.number)
    }.toMap

  private def answered(ran: Outcome.Ran): Map[Int, Seq[Long]] =
    ran.results.collect { case StepResult.Answered(Answer.Messages(messages)) => messages.map(m => number(m.value)) }
      .zipWithIndex.map(_.swap).toMap

  private def join(how: JoinKind)(stream: LargeStream, shards: Int): Problem = {
    val other = stream.copy(seed = stream.seed + 1000, messages = stream.messages / 2)
    val steps = stream.made(Some("l")).zip(other.made(Some("r"))).map { case ((left, w), (right, v)) =>
      (left ++ right, math.min(w, v))
    }
    val walk = new Walk(steps)
    val wide = stream.span / 1000
    val spec = JoinDraft(
      Seq(JoinStream("l"), JoinStream("r")),
      hasKeys = true,
      Within.Ranges(Map("r" -> JoinRange(TimeSpan(-wide), TimeSpan(2 * wide)))),
      how,
      lateness = Some(TimeSpan(wide))).checked
    val ran              = run(OperatorJson.write(spec), fed(steps), shards)
    val (taken, refused) = walk.messages.partition(one => one.before.forall(_ <= one.time + wide))
    val (lefts, rights)  = taken.partition(_.message.stream.contains("l"))
    val byKey            = rights.groupBy(_.key)
    val pairs = for {
      left  <- lefts
      right <- byKey.getOrElse(left.key, Nil)
      if -wide <= right.time - left.time && right.time - left.time <= 2 * wide
    } yield (Option(left.number), Option(right.number))
    val (paired, met) = (pairs.map(_._1).toSet, pairs.map(_._2).toSet)
    val lonely        = lefts.map(one => (Option(one.number), Option.empty[Long])).filterNot(one => paired(one._1))
    val unmet         = rights.map(one => (Option.empty[Long], Option(one.number))).filterNot(one => met(one._2))
    val wanted = how match {
      case JoinKind.Inner => pairs
      case JoinKind.Left  => pairs ++ lonely
      case JoinKind.Right => pairs ++ unmet
      case JoinKind.Full  => pairs ++ lonely ++ unmet
      case JoinKind.Semi  => paired.toSeq.map((_, None))
      case JoinKind.Anti  => lonely
    }
    val rows = emissions(ran).flatMap(_.rows)
    val found = rows.map(row =>
      (
        row("l").map(m => number(m.value)),
        row.get("r").flatten.filter(_ => how != JoinKind.Semi).map(m => number(m.value))))
    def counted[T](all: Seq[T]) = all.groupBy(identity).map { case (one, same) => one -> same.size }
    val rejected                = refused.map(_.id).toSet
    differ("rows", counted(wanted), counted(found)).orElse(ledger(
      ran,
      walk,
      rejected,
      0,
      one => one.before.exists(_ > one.time + wide)))
  }

  private val families = Seq[(String, (LargeStream, Int) => Problem)](
    "tumbling"   -> windows(s => Tumbling(TimeSpan(s.span / 40))),
    "hopping"    -> windows(s => Hopping(TimeSpan(s.span / 20), TimeSpan(s.span / 170))),
    "gaps"       -> windows(s => Hopping(TimeSpan(s.span / 100), TimeSpan(s.span / 70))),
    "sessions"   -> windows(s => Session(TimeSpan(s.span / 500))),
    "over range" -> windows(s => Over.Range(TimeSpan(s.span / 50))),
    "over rows"  -> windows(_ => Over.Rows(20)),
    "count"      -> windows(_ => Count(50, 20)),
    "tuples"     -> windows(s => OffsetSession(if (s.keys == 1) 1 else 30)),
    "global"     -> windows(_ => Global),
    "full state" -> fullState) ++ JoinKind.All.map(how => s"$how join" -> join(how) _)

  for ((family, problem) <- families) test(s"large streams: $family") {
    for (round <- 0 until rounds; size <- sizes) {
      val seed   = first + round * sizes.size + sizes.indexOf(size)
      val stream = LargeStream(seed, size)
      check(stream, new Random(seed).nextInt(3) match { case 0 => 1; case 1 => 4; case _ => 128 }, problem)
    }
  }

  /** Fails with the smallest stream that still has the problem. */
  private def check(stream: LargeStream, shards: Int, problem: (LargeStream, Int) => Problem): Unit =
    problem(stream, shards).foreach { _ =>
      val least = Iterator.iterate(Option(stream))(_.flatMap(smaller(_).find(problem(_, shards).isDefined)))
        .takeWhile(_.isDefined).flatten.toSeq.last
      fail(s"$least on $shards shards: ${problem(least, shards).get}")
    }

  private def smaller(stream: LargeStream): Iterator[LargeStream] = Iterator(
    stream.copy(messages = stream.messages / 2),
    stream.copy(steps = math.max(1, stream.steps / 2)),
    stream.copy(keys = math.max(1, stream.keys / 2)),
    stream.copy(duplicates = 0),
    stream.copy(isShuffled = false),
    stream.copy(skew = 1)).filter(less => less != stream && less.messages > 1)
}
