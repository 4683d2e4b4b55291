package windrow.spark.replay

import java.nio.file.Files
import org.apache.spark.sql.SparkSession
import windrow.EveryPeriod
import windrow.Session
import windrow.SpecError
import windrow.TimeSpan
import windrow.WindowOperatorSpec
import windrow.core.operator.FiringPolicy
import windrow.spark.WindowProcessor
import windrow.testkit._

/** Runs transcripts as real streaming queries, one for each case: every step is a micro-batch with a checkpoint.
  *
  * @param partitions
  *   of the state
  * @param shards
  *   into which keys are hashed
  */
final class SparkEngine(partitions: Int, shards: Int) extends Engine {
  def this() = this(partitions = 2, shards = 4)

  def name: String = "spark"

  def run(transcript: TranscriptCase): Outcome = transcript.operator match {
    case Left(problems) => Outcome.Refused(problems)
    case Right(operator) =>
      SparkEngine.hindrance(transcript, operator) match {
        case Right(able)     => feed(transcript, able)
        case Left(hindrance) => Outcome.NotRun(hindrance)
      }
  }

  private def feed(transcript: TranscriptCase, operator: OperatorSpec): Outcome = {
    val session = SparkEngine.session(partitions, shards)
    val folder  = Files.createTempDirectory("windrow-replay")
    try {
      val query = stepped(session, transcript, operator, folder.resolve("checkpoint").toString)
      try follow(transcript, query)
      finally query.close()
    } catch { case refused: SpecError => Outcome.Refused(refused.problems) }
    finally SparkEngine.delete(folder)
  }

  private def stepped(
      session: SparkSession,
      transcript: TranscriptCase,
      operator: OperatorSpec,
      checkpoint: String): Stepped = operator match {
    case aggregate: OperatorSpec.Aggregate => new AggregateStepQuery(session, transcript, aggregate, checkpoint)
    case OperatorSpec.FullState(spec)      => new FullStateStepQuery(session, transcript, spec, checkpoint)
    case OperatorSpec.Join(spec)           => new JoinStepQuery(session, transcript, spec, checkpoint)
    case OperatorSpec.CoGroup(spec)        => new CoGroupStepQuery(session, transcript, spec, checkpoint)
    case other                             => throw new IllegalStateException(s"no query for ${other.name}")
  }

  private def follow(transcript: TranscriptCase, query: Stepped): Outcome = {
    val marks = SparkEngine.watermarks(transcript)
    val results = transcript.steps.zipWithIndex.map {
      case (feed: Step.Feed, index) =>
        val (mark, next) = marks(index)
        StepResult.Emitted(query.step(feed.messages, mark, next, feed.processingTime))
      case (Step.Restart, _) =>
        query.restart()
        StepResult.Restarted
      case (Step.Ask(Query.Counters, _), _) => StepResult.Answered(Answer.Counters(query.counters))
      case (Step.Ask(asked, _), _)          => StepResult.Answered(query.ask(asked))
    }
    Outcome.Ran(
      results,
      transcript.atEnd.filter(_.isFinal).map(_ =>
        query.step(Nil, WindowProcessor.EndMillis, WindowProcessor.EndMillis)))
  }
}

object SparkEngine {

  /** Writes checkpoints on a local disk without starting a process for the permissions of each file. */
  private[spark] val LocalFiles =
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"

  /** Left: why Spark cannot be fed a case. */
  private[spark] def hindrance(
      transcript: TranscriptCase,
      operator: OperatorSpec): Either[String, OperatorSpec] = operator match {
    case aggregate: OperatorSpec.Aggregate =>
      hindrance(transcript, aggregate.spec).toLeft(aggregate)
    case full: OperatorSpec.FullState => hindrance(transcript, full.spec.windows).toLeft(full)
    case join: OperatorSpec.Join =>
      asks(transcript).orElse(hindrance(
        transcript,
        join.spec.maxFuture,
        join.spec.early.isInstanceOf[EveryPeriod])).toLeft(join)
    case group: OperatorSpec.CoGroup => hindrance(transcript, group.spec.window).toLeft(group)
    case other                       => Left(s"Spark cannot do ${other.name} yet.")
  }

  private def asks(transcript: TranscriptCase): Option[String] =
    transcript.steps.collectFirst { case Step.Ask(Query.GetMessages(_, _, _, _) | Query.GetWindows(_, _, _), _) =>
      "The messages of a join are asked for from outside its query."
    }

  private def hindrance(transcript: TranscriptCase, spec: WindowOperatorSpec): Option[String] =
    Option.when(spec.window.isInstanceOf[windrow.Inherit])("A query takes no panes of another operator yet.")
      .orElse(hindrance(transcript, spec.maxFuture, new FiringPolicy(spec.early, spec.late).hasPeriods))
      .orElse(Option.when(hasGapsOfTheirOwn(transcript, spec))(
        "A query has a session gap of its own or one of each message."))

  private def hindrance(
      transcript: TranscriptCase,
      maxFuture: Option[TimeSpan],
      hasPeriods: Boolean): Option[String] = {
    val all      = feeds(transcript)
    val messages = all.flatMap(_.messages)
    val values   = messages.map(_.value)
    if (all.flatMap(_.watermark).exists(_ <= 0))
      Some("Spark's watermark begins at 0, so 0 means none yet and none is below (SEMANTICS R70).")
    else if ((all.flatMap(_.watermark) ++ all.flatMap(_.processingTime)).exists(_ % 1000 != 0))
      Some("Spark's watermark and processing time are in whole milliseconds.")
    else if (maxFuture.isDefined)
      Some("A watermark that the replay sets cannot be guarded by maxFuture (SEMANTICS R73).")
    else if (hasPeriods && all.headOption.exists(_.processingTime.isEmpty))
      Some("Spark has a processing time from its first batch on.")
    else if (values.exists(_.isInstanceOf[Value.Text]) && values.exists(_.isInstanceOf[Value.Whole]))
      Some("A column has texts or numbers.")
    else None
  }

  private def hasGapsOfTheirOwn(transcript: TranscriptCase, spec: WindowOperatorSpec): Boolean = spec.window match {
    case Session(Some(_)) => feeds(transcript).flatMap(_.messages).exists(_.gap.isDefined)
    case _                => false
  }

  private def feeds(transcript: TranscriptCase): Seq[Step.Feed] =
    transcript.steps.collect { case feed: Step.Feed => feed }

  /** For each step the watermark at its end, in milliseconds, and the one of the next step that feeds, or of the end. */
  private def watermarks(transcript: TranscriptCase): IndexedSeq[(Long, Long)] = {
    val marks = transcript.steps.scanLeft(0L) {
      case (before, feed: Step.Feed) => feed.watermark.fold(before)(mark => math.max(before, mark / 1000))
      case (before, _)               => before
    }.tail
    val end = if (transcript.atEnd.exists(_.isFinal)) WindowProcessor.EndMillis else marks.lastOption.getOrElse(0L)
    val next = transcript.steps.zip(marks).foldRight(List(end)) {
      case ((_: Step.Feed, mark), later) => mark :: later
      case (_, later)                    => later.head :: later
    }
    marks.toIndexedSeq.zip(next.tail)
  }

  private def session(partitions: Int, shards: Int): SparkSession = {
    val running = SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession).getOrElse(
      SparkSession.builder().master("local[2]").appName("windrow replay").config(
        "spark.ui.enabled",
        "false").getOrCreate())
    val session = running.newSession()
    session.conf.set("spark.sql.shuffle.partitions", partitions.toLong)
    session.conf.set("spark.windrow.shards", shards.toLong)
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set(
      "spark.sql.streaming.stateStore.providerClass",
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
    session.conf.set("spark.sql.streaming.checkpointFileManagerClass", LocalFiles)
    session.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false") // a step is one micro-batch
    session
  }

  private def delete(folder: java.nio.file.Path): Unit = {
    val paths = Files.walk(folder)
    try paths.sorted(java.util.Comparator.reverseOrder[java.nio.file.Path]).forEach(path => {
        Files.deleteIfExists(path); ()
      })
    finally paths.close()
  }
}
