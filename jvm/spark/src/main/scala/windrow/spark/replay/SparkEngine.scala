package windrow.spark.replay

import java.nio.file.Files
import org.apache.spark.sql.SparkSession
import windrow.SpecError
import windrow.SpecProblem
import windrow.WindowOperatorSpec
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

  def run(transcript: TranscriptCase): Outcome = transcript.spec match {
    case Left(problems) => Outcome.Refused(problems)
    case Right(_) if transcript.fillGaps =>
      Outcome.Refused(Seq(SpecProblem("VALUE_NOT_SUPPORTED", "fill_gaps is true.")))
    case Right(spec) => SparkEngine.hindrance(transcript, spec).fold(feed(transcript))(Outcome.NotRun)
  }

  private def feed(transcript: TranscriptCase): Outcome = {
    val session = SparkEngine.session(partitions, shards)
    val folder  = Files.createTempDirectory("windrow-replay")
    val query   = new StepQuery(session, transcript, folder.resolve("checkpoint").toString)
    try {
      val marks = SparkEngine.watermarks(transcript)
      val results = transcript.steps.zipWithIndex.map {
        case (Step.Feed(messages, _, _, _), index) =>
          val (mark, next) = marks(index)
          StepResult.Emitted(query.step(messages, mark, next))
        case (Step.Restart, _) =>
          query.restart()
          StepResult.Restarted
        case (Step.AskCounters(_), _) => StepResult.Counted(query.counters)
      }
      Outcome.Ran(
        results,
        transcript.atEnd.filter(_.isFinal).map(_ => query.step(Nil, SparkEngine.EndMillis, SparkEngine.EndMillis)))
    } catch { case refused: SpecError => Outcome.Refused(refused.problems) }
    finally {
      query.close()
      SparkEngine.delete(folder)
    }
  }
}

object SparkEngine {

  /** Past every time of a transcript; Spark's own end of time is too far for its arithmetic. */
  private val EndMillis = 200000000000000L

  /** Writes checkpoints on a local disk without starting a process for the permissions of each file. */
  private[spark] val LocalFiles =
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"

  /** Why Spark cannot be fed a case. */
  private def hindrance(transcript: TranscriptCase, spec: WindowOperatorSpec): Option[String] = {
    val marks = transcript.steps.collect { case Step.Feed(_, Some(mark), _, _) => mark }
    if (marks.exists(_ <= 0))
      Some("Spark's watermark begins at 0, so 0 means none yet and none is below (SEMANTICS R70).")
    else if (marks.exists(_ % 1000 != 0)) Some("Spark's watermark is in whole milliseconds.")
    else if (spec.maxFuture.isDefined) Some("Processing time is Spark's own clock.")
    else None
  }

  /** For each step the watermark at its end, in milliseconds, and the one of the next step that feeds, or of the end. */
  private def watermarks(transcript: TranscriptCase): IndexedSeq[(Long, Long)] = {
    val marks = transcript.steps.scanLeft(0L) {
      case (before, Step.Feed(_, Some(mark), _, _)) => math.max(before, mark / 1000)
      case (before, _)                              => before
    }.tail
    val end = if (transcript.atEnd.exists(_.isFinal)) EndMillis else marks.lastOption.getOrElse(0L)
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
