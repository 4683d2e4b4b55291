package windrow.spark
package replay

import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicLong
import org.apache.spark.TaskContext
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.expressions.UserDefinedFunction
import org.apache.spark.sql.functions.{lit, udf}
import org.scalatest.tags.Slow
import org.scalatest.time.SpanSugar._
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.util.Random
import windrow._
import windrow.replay._
import windrow.testkit._

/** Runs transcripts and random cases as streaming queries, with restarts and different numbers of partitions and shards
  * (SEMANTICS R71, R75, R76).
  */
@Slow
final class SparkVersusReference extends SparkSuite {
  private val mode  = sys.props.getOrElse("windrow.mode", "default")
  private val first = Drawn.first

  /** The number of queries of a kind, and the number of cases in each. The cases of a query share a spec and its steps,
    * but have their own keys. A step is a micro-batch, so there are few queries.
    */
  private val (queries, together) = mode match {
    case "full" => (sys.props.getOrElse("windrow.queries", "12").toInt, 10)
    case _      => (1, 1)
  }

  /** Runs several queries at the same time, because they wait for the file system most of the time. */
  private val atOnce = ExecutionContext.fromExecutorService(Executors.newFixedThreadPool(
    3,
    (task: Runnable) => {
      val thread = new Thread(task)
      thread.setDaemon(true)
      thread
    }))

  private def all[A](items: Seq[A])(check: A => Seq[String]): Unit = {
    spark.version // lets every thread find the session
    val found = items.map(item => Future(check(item))(atOnce)).flatMap(Await.result(_, 60.minutes))
    assert(found.isEmpty, found.mkString("\n"))
  }

  private val transcripts =
    TranscriptFiles.all.flatMap(file => TranscriptFiles.cases(file).map((_, KnownGaps.beside(file))))

  /** The interval at which the shorter cases of each kind of operator and window are chosen. */
  private val every = 200

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
      "dedup"      -> (ForSpark.dedup(_, together)),
      "policies"   -> (ForSpark.policy(_, together)))

  /** Whether a case is run. A step costs a micro-batch, so only `full` runs long cases. Very short ones test little. */
  private def fits(one: TranscriptCase): Boolean = mode == "full" || (5 to 8).contains(one.steps.size)

  private def cases(make: Long => TranscriptCase): Iterator[TranscriptCase] =
    Iterator.from(first.toInt).map(seed => make(seed.toLong)).filter(fits).filter(SparkEngine.hindrance(_).isEmpty)

  private def engine(transcript: TranscriptCase): SparkEngine = {
    val number = transcript.id.hashCode.abs
    new SparkEngine(2 + number % 4, 1 + number % 7, generated = number % 2 == 0)
  }

  /** Kinds with separate shuffles, states or outputs in Spark. The core runs cases of each kind in any mode. */
  private val AlwaysRun = Set("aligned", "full state", "joins", "policies")

  for ((kind, make) <- Kinds if mode == "full" || AlwaysRun(kind))
    test(s"$queries times $together random cases of $kind from seed $first, with restarts") {
      all(cases(make).take(queries).toSeq)(one => versusReference(one, engine(one)))
    }

  for ((kind, make) <- Kinds if mode == "full" || kind == "aligned")
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

/** An engine in which each task fails at its first row and is retried. */
private final class FaultyEngine extends SparkEngine(3, 5) {
  override protected def passed(table: DataFrame): DataFrame = table.where(FaultyEngine.passes(lit(true)))
}

private object FaultyEngine {
  val failures = new AtomicLong

  /** Fails the first attempt of a task. Nondeterministic, so that Spark does not move it. */
  val passes: UserDefinedFunction = udf { (value: Boolean) =>
    if (TaskContext.get().attemptNumber() == 0) {
      failures.incrementAndGet()
      throw new IllegalStateException("a task that fails once")
    }
    value
  }.asNondeterministic()
}

/** Random cases with restarts, limited to the behavior that Spark supports. */
private object ForSpark {

  def apply(seed: Long, family: RandomFamily, scale: Int): TranscriptCase = {
    val sorted = seed % 2 == 0 || family.needsOffsets
    val plain  = RandomCase(seed, family, offsets = sorted, scale)
    restarted(inMillis(if (sorted) plain else combined(plain)), seed)
  }

  /** Changes a case so that its order does not affect the output and rows are combined before the shuffle. */
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
    // A question reads the entire state.
    val asks = plain.steps.collect { case ask @ Step.Ask(query, _) if query != Query.Counters => ask }
    val few  = asks.take(2) ++ asks.takeRight(1)
    restarted(
      plain.copy(steps = plain.steps.filter(step => !asks.exists(_ eq step) || few.exists(_ eq step))),
      seed)
  }

  def join(seed: Long, scale: Int): TranscriptCase = restarted(unasked(RandomStoreCase.join(seed, scale)), seed)

  def coGroup(seed: Long, scale: Int): TranscriptCase = restarted(unasked(RandomStoreCase.coGroup(seed, scale)), seed)

  def dedup(seed: Long, scale: Int): TranscriptCase = restarted(inMillis(RandomDedupCase(seed, scale)), seed)

  def policy(seed: Long, scale: Int): TranscriptCase = restarted(RandomPolicyCase(seed, scale), seed)

  /** Removes the questions that a query does not support. */
  private def unasked(plain: TranscriptCase): TranscriptCase = plain.copy(steps = plain.steps.filter {
    case Step.Ask(query, _) => query == Query.Counters
    case _                  => true
  })

  private def restarted(plain: TranscriptCase, seed: Long): TranscriptCase =
    plain.copy(steps = plain.steps.patch(new Random(seed).nextInt(plain.steps.size + 1), Seq(Step.Restart), 0))

  /** Shifts the watermarks of calendar cases to milliseconds after 1970, because calendars cannot be stretched. */
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

  /** Removes the counters that only the reference has (SEMANTICS R5, R10). */
  def counted(transcript: TranscriptCase): TranscriptCase = transcript.copy(steps = transcript.steps.map {
    case Step.Ask(query, Some(Answer.Counters(all))) =>
      Step.Ask(query, Some(Answer.Counters(all -- Answer.Classes - Answer.OverRetention)))
    case step => step
  })
}
