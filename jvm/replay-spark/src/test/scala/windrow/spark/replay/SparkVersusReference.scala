package windrow.spark
package replay

import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicLong
import org.apache.spark.TaskContext
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.expressions.UserDefinedFunction
import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.functions.udf
import org.scalatest.tags.Slow
import org.scalatest.time.SpanSugar._
import scala.concurrent.Await
import scala.concurrent.ExecutionContext
import scala.concurrent.Future
import scala.util.Random
import windrow._
import windrow.replay._
import windrow.testkit._

/** Transcripts and random cases as streaming queries, with restarts and other numbers of partitions and shards
  * (SEMANTICS R71, R75, R76).
  */
@Slow
final class SparkVersusReference extends SparkSuite {
  private val mode  = sys.props.getOrElse("windrow.mode", "default")
  private val first = Drawn.first

  /** How many queries of a kind run, and how many cases are in each: they share a spec and its steps, and have keys of their
    * own. A step is a micro-batch, so queries are few.
    */
  private val (queries, together) = mode match {
    case "full" => (sys.props.getOrElse("windrow.queries", "12").toInt, 10)
    case _      => (1, 1)
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

  /** Of the shorter cases of each kind of operator and window one in so many. */
  private val every = 90

  private def kind(transcript: TranscriptCase): String =
    s"${transcript.specJson.path("operator").asText} ${TranscriptCase.windowKind(transcript.specJson)}"

  for ((kind, cases) <- transcripts.groupBy { case (transcript, _) => kind(transcript) }.toSeq.sortBy(_._1))
    test(s"transcripts of $kind") {
      val some = if (mode == "full") cases
      else {
        val short = cases.sortBy(_._1.steps.size).take((cases.size + 1) / 2)
        short.zipWithIndex.collect { case (one, i) if i % every == 0 => one }
      }
      all(some) { case (transcript, gaps) =>
        val verdict = Verdict.of(transcript, new SparkEngine(), gaps)
        if (verdict.isFailure) verdict.text.toSeq else Nil
      }
    }

  test("SEMANTICS R86: a query whose clock is set back") {
    val some = transcripts.filter { case (one, _) => one.id.startsWith("R86-") }
    assert(some.sizeIs == 6)
    all(if (mode == "full") some else some.takeRight(2)) { case (transcript, gaps) =>
      val verdict = Verdict.of(transcript, new SparkEngine(), gaps)
      if (verdict.isFailure) verdict.text.toSeq else Nil
    }
  }

  test("SEMANTICS M2: the transcripts that Spark cannot be fed") {
    val found = transcripts.flatMap { case (transcript, _) =>
      SparkEngine.hindrance(transcript).map(transcript.id -> _)
    }
    assert(found.map(_._1).toSet == Set("R73-too-far-ahead"), found.mkString("\n"))
  }

  private val Kinds: Seq[(String, Long => TranscriptCase)] =
    RandomFamily.All.map(family => (family.name, (seed: Long) => ForSpark(seed, family, together))) ++ Seq(
      "full state" -> (ForSpark.fullState(_, together)),
      "joins"      -> (ForSpark.join(_, together)),
      "co-groups"  -> (ForSpark.coGroup(_, together)),
      "policies"   -> (ForSpark.policy(_, together)))

  /** A step costs a micro-batch, so only `full` runs long cases; short ones show little. */
  private def fits(one: TranscriptCase): Boolean = mode == "full" || (5 to 8).contains(one.steps.size)

  private def cases(make: Long => TranscriptCase): Iterator[TranscriptCase] =
    Iterator.from(first.toInt).map(seed => make(seed.toLong)).filter(fits).filter(SparkEngine.hindrance(_).isEmpty)

  private def engine(transcript: TranscriptCase): SparkEngine = {
    val number = transcript.id.hashCode.abs
    new SparkEngine(2 + number % 4, 1 + number % 7, generated = number % 2 == 0)
  }

  /** Kinds that go through Spark in a way of their own; the core runs cases of each kind in any mode. */
  private val AlwaysRun =
    Set("aligned", "sessions", "over", "offsets", "first-message", "full state", "joins", "co-groups", "policies")

  for ((kind, make) <- Kinds if mode == "full" || AlwaysRun(kind))
    test(s"$queries times $together random cases of $kind from seed $first, with restarts") {
      all(cases(make).take(queries).toSeq)(one => versusReference(one, engine(one)))
    }

  for ((kind, make) <- Kinds if mode == "full" || Set("aligned", "joins")(kind))
    test(s"$kind: tasks that fail once, before their shards and behind them, change nothing") {
      spark.sparkContext.setLogLevel("OFF")
      try all(cases(make).take(queries).toSeq)(one => versusReference(one, new FaultyEngine))
      finally spark.sparkContext.setLogLevel("ERROR")
      assert(FaultyEngine.failures.get > 0)
    }

  private def versusReference(transcript: TranscriptCase, engine: SparkEngine): Seq[String] = {
    val expected = ForSpark.counted(ReferenceEngine.run(transcript).inPlaceOfExpected(transcript))
    val found    = Comparison.differences(expected, engine.run(expected))
    if (found.isEmpty) Nil else s"${transcript.id}: ${TranscriptWriter.write(expected)}" +: found
  }
}

/** Each task fails when its first row passes, and is tried again. */
private final class FaultyEngine extends SparkEngine(3, 5) {
  override protected def passed(table: DataFrame): DataFrame = table.where(FaultyEngine.passes(lit(true)))
}

private object FaultyEngine {
  val failures = new AtomicLong

  /** Not deterministic, so that Spark leaves it where it stands. */
  val passes: UserDefinedFunction = udf { (value: Boolean) =>
    if (TaskContext.get().attemptNumber() == 0) {
      failures.incrementAndGet()
      throw new IllegalStateException("a task that fails once")
    }
    value
  }.asNondeterministic()
}

/** Random cases with restarts, and without what Spark does in ways of its own. */
private object ForSpark {

  def apply(seed: Long, family: RandomFamily, scale: Int): TranscriptCase = {
    val sorted = seed % 2 == 0 || family.needsOffsets
    val plain  = RandomCase(seed, family, offsets = sorted, scale)
    restarted(inMillis(if (sorted) plain else combined(plain)), seed)
  }

  /** Where no order shows, messages are combined before they travel. */
  private def combined(plain: TranscriptCase): TranscriptCase = {
    val spec = plain.specJson.deepCopy()
    spec.remove("aggregates")
    val read  = SpecJson.read(spec, Map.empty).fold(e => sys.error(e.toString), identity)
    val json  = SpecJson.write(read.copy(early = byStep(read.early), late = EachBatch, closeOn = CloseOn.Watermark))
    val named = json.putObject("aggregates")
    Seq("n" -> "count", "total" -> "sum", "top" -> "max", "mean" -> "avg").foreach { case (name, function) =>
      named.put(name, function)
    }
    plain.copy(specJson = json)
  }

  private def byStep(trigger: PaneTrigger): PaneTrigger = trigger match {
    case EachMessage | Every(_) => EachBatch
    case AnyOf(all)             => AnyOf(all.map(byStep))
    case other                  => other
  }

  def fullState(seed: Long, scale: Int): TranscriptCase = {
    val plain = inMillis(RandomStoreCase.fullState(seed, scale))
    // A question reads the whole state.
    val asks = plain.steps.collect { case ask @ Step.Ask(query, _) if query != Query.Counters => ask }
    val few  = asks.take(2) ++ asks.takeRight(1)
    restarted(
      plain.copy(steps = plain.steps.filter(step => !asks.exists(_ eq step) || few.exists(_ eq step))),
      seed)
  }

  def join(seed: Long, scale: Int): TranscriptCase = restarted(unasked(RandomStoreCase.join(seed, scale)), seed)

  def coGroup(seed: Long, scale: Int): TranscriptCase = restarted(unasked(RandomStoreCase.coGroup(seed, scale)), seed)

  def policy(seed: Long, scale: Int): TranscriptCase = restarted(RandomPolicyCase(seed, scale), seed)

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

  /** Without the counters that only the reference has (SEMANTICS R5, R10). */
  def counted(transcript: TranscriptCase): TranscriptCase = transcript.copy(steps = transcript.steps.map {
    case Step.Ask(query, Some(Answer.Counters(all))) =>
      Step.Ask(query, Some(Answer.Counters(all -- Answer.Classes - Answer.OverRetention)))
    case step => step
  })
}
