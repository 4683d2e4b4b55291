package windrow.spark

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

  private val transcripts =
    TranscriptFiles.all.flatMap(file => TranscriptFiles.cases(file).map((_, KnownGaps.beside(file))))

  /** One of so many cases of each kind of operator and window. */
  private val every = mode match {
    case "quick" => 60
    case "full"  => 1
    case _       => 15
  }

  private def kind(transcript: TranscriptCase): String =
    s"${transcript.specJson.path("operator").asText} ${TranscriptCase.windowKind(transcript.specJson)}"

  for ((kind, cases) <- transcripts.groupBy { case (transcript, _) => kind(transcript) }.toSeq.sortBy(_._1))
    test(s"transcripts of $kind") {
      val bounded = if (mode == "full") cases else cases.filter(_._1.steps.size <= 12)
      val some    = bounded.zipWithIndex.collect { case (one, i) if i % every == 0 => one }
      all(some) { case (transcript, gaps) =>
        val verdict = Verdict.of(transcript, new SparkEngine(), gaps)
        if (verdict.isFailure) verdict.text.toSeq else Nil
      }
    }

  test("transcripts that Spark cannot be fed are few") {
    val found = transcripts.flatMap { case (transcript, _) =>
      SparkEngine.hindrance(transcript).map(transcript.id -> _)
    }
    assert(found.size <= SparkVersusReference.NotFed, found.mkString("\n"))
  }

  private val Kinds: Seq[(String, Long => TranscriptCase)] =
    ForSpark.Families.map(family => (family.name, (seed: Long) => ForSpark(seed, family))) ++ Seq(
      "full state" -> (ForSpark.fullState(_)),
      "joins"      -> (ForSpark.join(_)),
      "co-groups"  -> (ForSpark.coGroup(_)),
      "policies"   -> (ForSpark.policy(_)))

  for ((kind, make) <- Kinds) test(s"$count random cases of $kind from seed $first, with restarts") {
    val cases = Iterator.from(first.toInt).map(seed => make(seed.toLong)).filter(SparkEngine.hindrance(_).isEmpty)
    all(cases.take(count).toSeq)(versusReference)
  }

  private def versusReference(transcript: TranscriptCase): Seq[String] = {
    val expected = ForSpark.counted(ReferenceEngine.run(transcript).inPlaceOfExpected(transcript))
    val outcome =
      new SparkEngine(2 + transcript.id.hashCode.abs % 4, 1 + transcript.id.hashCode.abs % 7).run(expected)
    val found = Comparison.differences(expected, outcome)
    if (found.isEmpty) Nil else s"${transcript.id}: ${TranscriptWriter.write(expected)}" +: found
  }
}

private object SparkVersusReference {

  /** Transcripts of the repository that no micro-batch query can be fed (SEMANTICS, "What no engine can do"). */
  val NotFed = 1
}

/** Random cases with restarts, and without what Spark does in ways of its own. */
private object ForSpark {

  /** All but [[RandomFamily.Inherited]]. */
  val Families: Seq[RandomFamily] = RandomFamily.All.diff(Seq(RandomFamily.Inherited))

  def apply(seed: Long, family: RandomFamily): TranscriptCase = {
    val sorted = seed % 2 == 0 || family.needsOffsets
    val plain  = RandomCase(seed, family, offsets = sorted)
    restarted(inMillis(if (sorted) plain else combined(plain)), seed)
  }

  /** Where no order shows, messages are combined before they travel. */
  private def combined(plain: TranscriptCase): TranscriptCase = {
    val spec = plain.specJson.deepCopy()
    spec.remove("aggregates")
    val read = SpecJson.read(spec, Map.empty).fold(e => sys.error(e.toString), identity)
    val json = SpecJson.write(read.copy(early = byStep(read.early), late = EachStep, complete = Completion.ByWatermark))
    val named = json.putObject("aggregates")
    Seq("n" -> "count", "total" -> "sum", "top" -> "max", "mean" -> "avg").foreach { case (name, function) =>
      named.put(name, function)
    }
    plain.copy(specJson = json)
  }

  private def byStep(trigger: PaneTrigger): PaneTrigger = trigger match {
    case EachMessage | Every(_) => EachStep
    case AnyOf(all)             => AnyOf(all.map(byStep))
    case other                  => other
  }

  def fullState(seed: Long): TranscriptCase = {
    val plain = inMillis(RandomStoreCase.fullState(seed))
    // A question reads the whole state.
    val asks = plain.steps.collect { case ask @ Step.Ask(query, _) if query != Query.Counters => ask }
    val few  = asks.take(2) ++ asks.takeRight(1)
    restarted(
      plain.copy(steps = plain.steps.filter(step => !asks.exists(_ eq step) || few.exists(_ eq step))),
      seed)
  }

  def join(seed: Long): TranscriptCase    = restarted(unasked(RandomStoreCase.join(seed)), seed)
  def coGroup(seed: Long): TranscriptCase = restarted(unasked(RandomStoreCase.coGroup(seed)), seed)
  def policy(seed: Long): TranscriptCase  = restarted(RandomPolicyCase(seed), seed)

  /** Without questions that a query is not asked. */
  private def unasked(plain: TranscriptCase): TranscriptCase = plain.copy(steps = plain.steps.filter {
    case Step.Ask(query, _) => query == Query.Counters
    case _                  => true
  })

  private def restarted(plain: TranscriptCase, seed: Long): TranscriptCase =
    plain.copy(steps = plain.steps.patch(new Random(seed).nextInt(plain.steps.size + 1), Seq(Step.Restart), 0))

  /** Calendars cannot be stretched: their watermarks are brought to whole milliseconds after 1970. */
  private def inMillis(plain: TranscriptCase): TranscriptCase =
    if (TranscriptCase.windowKind(plain.specJson) != "calendar") plain
    else {
      val feeds              = plain.steps.collect { case feed: Step.Feed => feed }
      val day                = 86400000000L
      val times              = feeds.flatMap(feed => feed.messages.flatMap(_.time) ++ feed.watermark)
      val shift              = day - math.min(0L, Math.floorDiv(times.minOption.getOrElse(0L), day)) * day
      def millis(time: Long) = Math.floorDiv(time + shift, 1000L) * 1000
      plain.copy(steps = plain.steps.map {
        case feed: Step.Feed => feed.copy(
            messages = feed.messages.map(m => m.copy(time = m.time.map(_ + shift))),
            watermark = feed.watermark.map(millis))
        case Step.Ask(Query.GetMessages(start, end, key, Query.ByTime), expected) =>
          Step.Ask(Query.GetMessages(start.map(_ + shift), end.map(_ + shift), key, Query.ByTime), expected)
        case Step.Ask(Query.GetWindows(start, end, key), expected) =>
          Step.Ask(Query.GetWindows(start + shift, end + shift, key), expected)
        case other => other
      })
    }

  /** Messages are combined before they reach their shard, so Spark does not tell their classes (SEMANTICS R5); how many
    * windows are above a stated number it does not tell yet.
    */
  def counted(transcript: TranscriptCase): TranscriptCase = transcript.copy(steps = transcript.steps.map {
    case Step.Ask(query, Some(Answer.Counters(all))) =>
      Step.Ask(query, Some(Answer.Counters(all -- Seq("in_time", "past", "future", "over_retention"))))
    case step => step
  })
}
