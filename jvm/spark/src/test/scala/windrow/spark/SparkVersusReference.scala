package windrow.spark

import com.fasterxml.jackson.databind.node.ObjectNode
import java.util.concurrent.Executors
import org.scalatest.tags.Slow
import org.scalatest.time.SpanSugar._
import scala.concurrent.Await
import scala.concurrent.ExecutionContext
import scala.concurrent.Future
import scala.util.Random
import windrow._
import windrow.spark.replay.SparkEngine
import windrow.testkit._

/** Transcripts and random cases as streaming queries, with restarts and other numbers of partitions and shards
  * (SEMANTICS R71, R75, R76).
  */
@Slow
final class SparkVersusReference extends SparkSuite {
  private val mode  = sys.props.getOrElse("windrow.mode", "default")
  private val first = sys.props.getOrElse("windrow.seed", "1").toLong

  /** How many random cases of a family run through Spark; a step is a micro-batch, so they are few. */
  private val count = mode match {
    case "quick" => 1
    case "full"  => 500
    case _       => 3
  }

  /** Queries wait for the file system much of the time. */
  private val atOnce = ExecutionContext.fromExecutorService(Executors.newFixedThreadPool(
    3,
    (task: Runnable) => {
      val thread = new Thread(task)
      thread.setDaemon(true)
      thread
    }))

  private def all[A](items: Seq[A])(check: A => Seq[String]): Unit = {
    spark.version // so that every thread finds the session
    val found = items.map(item => Future(check(item))(atOnce)).flatMap(Await.result(_, 60.minutes))
    assert(found.isEmpty, found.mkString("\n"))
  }

  private def steps(transcript: TranscriptCase): Int = transcript.steps.size

  test("transcripts") {
    val files = TranscriptFiles.all.flatMap(file => TranscriptFiles.cases(file).map((_, KnownGaps.beside(file))))
    val able  = files.filter { case (transcript, _) => isAble(transcript) }
    val few   = if (mode == "quick") 10 else 30
    val some  = if (mode == "full") able else able.filter { case (transcript, _) => steps(transcript) <= 10 }.take(few)
    assert(some.size >= few)
    all(some) { case (transcript, gaps) =>
      val verdict = Verdict.of(transcript, new SparkEngine(), gaps)
      if (verdict.isFailure) verdict.text.toSeq else Nil
    }
  }

  test("transcripts of several streams") {
    val files = TranscriptFiles.all.flatMap(file => TranscriptFiles.cases(file).map((_, KnownGaps.beside(file))))
    val able = files.filter { case (transcript, _) =>
      isAble(transcript) && transcript.operator.exists {
        case _: OperatorSpec.Join | _: OperatorSpec.CoGroup => true
        case _                                              => false
      }
    }
    val every = mode match {
      case "quick" => 40
      case "full"  => 1
      case _       => 12
    }
    val some = able.zipWithIndex.collect { case (one, i) if i % every == 0 => one }
    assert(some.nonEmpty)
    all(some) { case (transcript, gaps) =>
      val verdict = Verdict.of(transcript, new SparkEngine(), gaps)
      if (verdict.isFailure) verdict.text.toSeq else Nil
    }
  }

  private def isAble(transcript: TranscriptCase): Boolean =
    transcript.operator.exists(SparkEngine.hindrance(transcript, _).isRight)

  for ((kind, make) <- Seq[(String, Long => TranscriptCase)](
      "joins"     -> (StreamsForSpark.join(_)),
      "co-groups" -> (StreamsForSpark.coGroup(_)))) test(s"$count random $kind from seed $first, with restarts") {
    val cases = Iterator.from(first.toInt).map(seed => make(seed.toLong)).filter(isAble)
    all(cases.take(count).toSeq)(versusReference)
  }

  private def versusReference(transcript: TranscriptCase): Seq[String] = {
    val expected = ForSpark.counted(ReferenceEngine.run(transcript).inPlaceOfExpected(transcript))
    val outcome =
      new SparkEngine(2 + transcript.id.hashCode.abs % 4, 1 + transcript.id.hashCode.abs % 7).run(expected)
    val found = Comparison.differences(expected, outcome)
    if (found.isEmpty) Nil else s"${transcript.id}: ${TranscriptWriter.write(expected)}" +: found
  }

  for (family <- ForSpark.Families) test(s"$count random cases of ${family.name} from seed $first, with restarts") {
    val cases = Iterator.from(first.toInt).map(seed => ForSpark(seed.toLong, family)).filter(isAble)
    all(cases.take(count).toSeq)(versusReference)
  }

  test(s"$count random cases of full state from seed $first, with restarts and questions from outside") {
    val cases = Iterator.from(first.toInt).map(seed => ForSpark.fullState(seed.toLong)).filter(isAble)
    all(cases.take(count).toSeq)(versusReference)
  }
}

/** Random cases that Spark can be fed: in whole milliseconds after 1970, and with a processing time from the first step on;
  * no guard against its clock, since the replay sets the watermark.
  */
private object ForSpark {
  val Families: Seq[RandomFamily] = (RandomFamily.InQueries +: RandomFamily.Timed) ++
    Seq(
      RandomFamily.Counts,
      RandomFamily.OffsetWindows,
      RandomFamily.TupleSessions,
      RandomFamily.ByFirstMessage,
      RandomFamily.FilledGaps,
      RandomFamily.Endless)

  /** Microseconds become seconds, since Spark's clock ticks in milliseconds; but of a calendar, whose steps are hours. */
  private def scale(window: WindowKind): Long = if (window.isInstanceOf[Calendar]) 1 else 1000000

  def apply(seed: Long, family: RandomFamily): TranscriptCase = {
    val random = new Random(seed)
    val sorted = seed % 2 == 0 || family.needsOffsets
    val plain  = RandomCase(seed, family, offsets = sorted)
    val read =
      SpecJson.read(without(plain.specJson, "aggregates"), Map.empty).fold(e => sys.error(e.toString), identity)
    // Where no order shows, messages are combined before they travel.
    val draft = scaled(
      if (sorted) read else read.copy(early = byStep(read.early), late = EachStep, complete = Completion.ByWatermark),
      scale(read.window))
    val aggregates =
      if (sorted) OperatorSpec.aggregates(plain.specJson)
      else Seq("n" -> "count", "total" -> "sum", "top" -> "max", "mean" -> "avg")
    val json  = SpecJson.write(draft)
    val named = json.putObject("aggregates")
    aggregates.foreach { case (name, function) => named.put(name, function) }
    val steps   = later(plain.steps, scale(read.window))
    val restart = random.nextInt(steps.size + 1)
    plain.copy(specJson = json, steps = steps.patch(restart, Seq(Step.Restart), 0))
  }

  def fullState(seed: Long): TranscriptCase = {
    val random = new Random(seed)
    val plain  = RandomStoreCase.fullState(seed)
    val read   = plain.operator.fold(e => sys.error(e.toString), identity).asInstanceOf[OperatorSpec.FullState].spec
    val large  = scale(read.window)
    val of     = scaled(read.windows.draft, large)
    val spec = read.draft.copy(
      window = of.window,
      lateness = of.lateness,
      early = of.early,
      late = of.late,
      retention = of.retention,
      maxFuture = None)
    val steps   = later(plain.steps, large, read.window.isInstanceOf[TupleWindows])
    val restart = random.nextInt(steps.size + 1)
    // A question reads the whole state.
    val asks = steps.collect { case ask @ Step.Ask(query, _) if query != Query.Counters => ask }.drop(2).dropRight(1)
    plain.copy(
      specJson = OperatorJson.write(new FullStateSpec(spec)),
      steps = steps.patch(restart, Seq(Step.Restart), 0).filterNot(step => asks.exists(_ eq step)))
  }

  private def byStep(trigger: PaneTrigger): PaneTrigger = trigger match {
    case EachMessage | Every(_) => EachStep
    case AnyOf(all)             => AnyOf(all.map(byStep))
    case other                  => other
  }

  /** Messages are combined before they reach their shard, so Spark does not tell their classes (SEMANTICS R5); how many
    * windows are above a stated number it does not tell yet.
    */
  def counted(transcript: TranscriptCase): TranscriptCase = transcript.copy(steps = transcript.steps.map {
    case Step.Ask(query, Some(Answer.Counters(all))) =>
      Step.Ask(query, Some(Answer.Counters(all -- Seq("in_time", "past", "future", "over_retention"))))
    case step => step
  })

  private def without(node: ObjectNode, field: String): ObjectNode = {
    val rest = node.deepCopy()
    rest.remove(field)
    rest
  }

  private def scaled(draft: WindowOperatorDraft, scale: Long): WindowOperatorDraft = {
    def span(of: TimeSpan) = if (of == TimeSpan.Endless) of else TimeSpan(of.micros * scale)
    def trigger(of: PaneTrigger): PaneTrigger = of match {
      case EveryPeriod(period) => if (scale == 1) EachStep else EveryPeriod(span(period)) // of a few microseconds
      case AnyOf(all)          => AnyOf(all.map(trigger))
      case other               => other
    }
    draft.copy(
      window = draft.window match {
        case Tumbling(size, offset)      => Tumbling(span(size), span(offset))
        case Hopping(size, step, offset) => Hopping(span(size), span(step), span(offset))
        case Session(gap)                => new Session(gap.map(span))
        case Sliding(size, granularity)  => Sliding(span(size), span(granularity))
        case Over.Range(range)           => Over.Range(span(range))
        case other                       => other
      },
      lateness = draft.lateness.map(lateness => if (draft.window.isInstanceOf[Offsets]) lateness else span(lateness)),
      early = trigger(draft.early),
      late = trigger(draft.late),
      retention = draft.retention.copy(time = draft.retention.time.map(span)),
      maxFuture = None)
  }

  /** Scaled, and moved so that nothing is before 1970. */
  def later(steps: Seq[Step], scale: Long, byPosition: Boolean = false): Seq[Step] = {
    val feeds          = steps.collect { case feed: Step.Feed => feed }
    val times          = feeds.flatMap(feed => feed.messages.flatMap(_.time) ++ feed.watermark ++ feed.processingTime)
    val day            = 86400000000L / scale
    val shift          = day - Math.floorDiv(times.minOption.getOrElse(0L), day) * day
    def at(time: Long) = (time + shift) * scale
    def millis(time: Long) = Math.floorDiv(at(time), 1000L) * 1000
    val begun              = feeds.flatMap(_.processingTime).headOption.orElse(Some(0L))
    steps.map {
      case feed: Step.Feed =>
        feed.copy(
          messages = feed.messages.map(m => m.copy(time = m.time.map(at), gap = m.gap.map(_ * scale))),
          watermark = feed.watermark.map(millis),
          processingTime = (if (feed eq feeds.head) begun else feed.processingTime).map(millis))
      case Step.Ask(Query.GetMessages(start, end, key, Query.ByTime), expected) =>
        Step.Ask(Query.GetMessages(start.map(at), end.map(at), key, Query.ByTime), expected)
      case Step.Ask(Query.GetWindows(start, end, key), expected) if !byPosition =>
        Step.Ask(Query.GetWindows(at(start), at(end), key), expected)
      case other => other
    }
  }
}
