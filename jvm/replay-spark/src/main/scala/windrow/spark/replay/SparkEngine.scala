package windrow.spark.replay

import java.io.{IOException, UncheckedIOException}
import java.nio.file.{Files, Path}
import java.util.Comparator
import org.apache.spark.sql.windrow.SparkWatermark
import org.apache.spark.sql.{DataFrame, SparkSession}
import windrow.replay._
import windrow.spark.running.CheckpointSetting
import windrow.{SpecError, SpecProblem}

/** Runs transcripts as real streaming queries, one for each case. Every step is a micro-batch with a checkpoint.
  *
  * @param partitions
  *   number of partitions of the state
  * @param shards
  *   number of shards into which keys are hashed
  * @param generated
  *   whether Spark generates code; it still interprets plans whose code would be too long
  */
class SparkEngine(partitions: Int, shards: Int, generated: Boolean = true) extends Engine {
  def this() = this(partitions = 2, shards = 4)

  /** Transforms every table between the source and the query, and between the query and the sink. Tests inject faults
    * here.
    */
  protected def passed(table: DataFrame): DataFrame = table

  def name: String = "spark"

  def run(transcript: TranscriptCase): Outcome = transcript.operator match {
    case Left(problems) => Outcome.Refused(problems)
    case Right(_) =>
      val (times, fed) = SparkEngine.adapted(transcript)
      fed.operator match {
        case Left(problems) => Outcome.Refused(problems)
        case Right(operator) =>
          Feedable.hindrance(fed, operator).fold(times.back(fed, feed(fed, operator)))(Outcome.NotRun(_))
      }
  }

  private def feed(transcript: TranscriptCase, operator: OperatorSpec): Outcome = {
    val folder = Files.createTempDirectory("windrow-replay")
    try SparkEngine.steps(transcript, operator).fold(
        Outcome.Refused(_),
        steps => {
          val session = SparkEngine.session(partitions, shards, generated)
          val guarded = Feedable.maxFuture(operator).isDefined
          if (guarded) session.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
          val input = new StepInput(session, transcript, guarded, passed)
          val clock = new StepClock(SparkEngine.feeds(transcript).flatMap(_.processingTime).headOption.fold(
            System.currentTimeMillis)(_ / 1000 - 1))
          val query = new StepQuery(session, steps, input, clock, folder.resolve("checkpoint").toString)
          try follow(transcript, query)
          finally query.close()
        })
    catch { case refused: SpecError => Outcome.Refused(refused.problems) }
    finally SparkEngine.delete(folder)
  }

  private def follow(transcript: TranscriptCase, query: StepQuery): Outcome = {
    val marks = SparkEngine.watermarks(transcript)
    val results = transcript.steps.zipWithIndex.map {
      case (feed: Step.Feed, index) =>
        val (mark, next) = marks(index)
        StepResult.Emitted(query.step(feed, mark, next))
      case (Step.Restart, _) =>
        query.restart()
        StepResult.Restarted
      case (Step.Ask(asked, _), _) => StepResult.Answered(query.ask(asked))
    }
    Outcome.Ran(results, transcript.atEnd.filter(_.isFinal).map(_ => query.finish(SparkWatermark.EndMillis)))
  }
}

object SparkEngine {

  /** Adapts a case to Spark. */
  private def adapted(transcript: TranscriptCase): (Retimed, TranscriptCase) = {
    val feedable = Feedable(transcript)
    val times    = SparkTimes.of(feedable)
    (times, times(feedable))
  }

  /** Returns the reason why Spark cannot run a case. */
  private[spark] def hindrance(transcript: TranscriptCase): Option[String] = {
    val (_, fed) = adapted(transcript)
    fed.operator.toOption.flatMap(Feedable.hindrance(fed, _))
  }

  private def steps(transcript: TranscriptCase, operator: OperatorSpec): Either[Seq[SpecProblem], StepOperator] =
    operator match {
      case aggregate: OperatorSpec.Aggregate => Right(new AggregateSteps(transcript, aggregate))
      case OperatorSpec.FullState(spec)      => Right(new FullStateSteps(transcript, spec))
      case OperatorSpec.Join(spec)           => Right(new JoinSteps(spec))
      case OperatorSpec.CoGroup(spec)        => Right(new CoGroupSteps(spec))
      case OperatorSpec.Dedup(spec)          => Right(new DedupSteps(transcript, spec))
      case policy: OperatorSpec.Policy =>
        policy.spec(transcript.timeUnit).map(new PolicySteps(_, OperatorSpec.aggregates(policy.json)))
    }

  private def feeds(transcript: TranscriptCase): Seq[Step.Feed] =
    transcript.steps.collect { case feed: Step.Feed => feed }

  /** Returns for each step the watermark at its end, in milliseconds, and the watermark of the next step with input, or
    * of the end.
    */
  private def watermarks(transcript: TranscriptCase): IndexedSeq[(Long, Long)] = {
    val knowsNone = TranscriptCase.windowKind(transcript.specJson) == "policy"
    val marks = transcript.steps.scanLeft(0L) {
      case (before, feed: Step.Feed) if !knowsNone => feed.watermark.fold(before)(mark => math.max(before, mark / 1000))
      case (before, _)                             => before
    }.tail
    val end = if (transcript.atEnd.exists(_.isFinal)) SparkWatermark.EndMillis else marks.lastOption.getOrElse(0L)
    val next = transcript.steps.zip(marks).foldRight(List(end)) {
      case ((_: Step.Feed, mark), later) => mark :: later
      case (_, later)                    => later.head :: later
    }
    marks.toIndexedSeq.zip(next.tail)
  }

  private def session(partitions: Int, shards: Int, generated: Boolean): SparkSession = {
    val running = SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession).getOrElse(
      SparkSession.builder().master("local[2]").appName("windrow replay").config(
        "spark.ui.enabled",
        "false").getOrCreate())
    val session = running.newSession()
    session.conf.set("spark.sql.shuffle.partitions", partitions.toLong)
    session.conf.set("spark.windrow.shards", shards.toLong)
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.datetime.java8API.enabled", "true") // the older classes use another calendar
    session.conf.set(
      "spark.sql.streaming.stateStore.providerClass",
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
    session.conf.set("spark.sql.codegen.wholeStage", generated)
    session.conf.set("spark.sql.codegen.factoryMode", if (generated) "FALLBACK" else "NO_CODEGEN")
    session.conf.set("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled", "true")
    session.conf.set(CheckpointSetting.Name, CheckpointSetting.Class)
    session.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false") // a step is one micro-batch
    session
  }

  /** Deletes a folder. Spark may still write a snapshot in the background; the folder then remains among the temporary
    * files.
    */
  private def delete(folder: Path): Unit =
    try {
      val paths = Files.walk(folder)
      try paths.sorted(Comparator.reverseOrder[Path]).forEach(path => {
          Files.deleteIfExists(path); ()
        })
      finally paths.close()
    } catch { case _: IOException | _: UncheckedIOException => () }
}
