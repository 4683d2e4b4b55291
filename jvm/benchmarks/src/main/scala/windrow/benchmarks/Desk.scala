package windrow.benchmarks

import java.nio.file.{Files, Path}
import org.apache.spark.sql.{DataFrame, SparkSession}
import windrow.benchmarks.queries.{Amount, EventFiles, Feed, Grouped, Hops, Values}

/** Does jobs in a session. */
final class Desk(session: SparkSession) {
  private val scratch = Files.createTempDirectory(Files.createDirectories(Desk.Folder), "scratch")
  private val files   = new EventFiles(session, Desk.Events)
  private val trial   = new Trial(scratch)
  private val check   = new Check(scratch)

  def answered(job: Job): Reply = {
    val workload = Workload(job.workload)
    job.task match {
      case Job.Plain => Reply(digest = Some(Digest.of(workload.question.plain(whole(workload, job.amount)))))
      case Job.Write =>
        files.all(workload.source, job.amount)
        Reply()
      case Job.Decode =>
        workload.question.tables.foreach(new PlainFiles(session, files).write(workload.source, _, job.amount))
        Reply()
      case _ =>
        workload.question.settings.foreach { case (name, value) => session.conf.set(name, value) }
        val own = contender(job).settings
        own.foreach { case (name, value) => session.conf.set(name, value) }
        try answered(job, streams => answer(contender(job), workload, streams))
        finally own.keys.foreach(session.conf.unset)
    }
  }

  /** @param answer
    *   creates the query from a map of streams
    */
  def answered(job: Job, answer: Map[String, DataFrame] => Answer): Reply = {
    val workload = Workload(job.workload)
    def streams  = files.streams(workload.source, job.amount)
    job.task match {
      case Job.Check => Reply(digest = Some(check.run(answer(streams), settled(job, workload))))
      case Job.Time =>
        Reply(measured = Some(
          workload.pace.fold(trial.run(answer(streams)))(new PacedTrial(session, trial).run(_, answer))))
      case other => Reply(error = Some(s"task '$other' does not exist"))
    }
  }

  def close(): Unit = Folders.delete(scratch)

  private def whole(workload: Workload, amount: Amount) =
    new Feed(session, workload.source, files.all(workload.source, amount))

  private def answer(contender: InSpark, workload: Workload, streams: Map[String, DataFrame]): Answer =
    contender.answer(workload.question, new Feed(session, workload.source, streams))
      .getOrElse(sys.error(s"${contender.name} does not support ${workload.name}"))

  private def contender(job: Job): InSpark =
    Contender.all.collectFirst { case inSpark: InSpark if inSpark.name == job.contender => inSpark }
      .getOrElse(sys.error(s"${job.contender} does not run here"))

  private def settled(job: Job, workload: Workload): DataFrame => DataFrame = {
    val more = Contender.all.exists {
      case inSpark: InSpark => inSpark.name == job.contender && inSpark.bringsMore
      case _                => false
    }
    if (!workload.question.corrects && !more) identity
    else workload.question.settled(_, whole(workload, job.amount).until(workload.question.tables))
  }
}

object Desk {
  val Folder: Path = Path.of(".build/bench").toAbsolutePath
  val Events: Path = Folder.resolve("events")
}

/** Does jobs whose queries are described in Python; see scripts/bench_worker.py. Jobs and replies are JSON. */
final class PythonDesk(session: SparkSession) {
  private val desk = new Desk(session)

  def size(job: String): Int = hops(job).size
  def step(job: String): Int = hops(job).step

  /** @param describe
    *   returns the output rows for a stream of events
    */
  def answered(job: String, describe: java.util.function.UnaryOperator[DataFrame]): String =
    Text.line(Worker.safely(desk.answered(
      Text.read[Job](job),
      streams => Answer(describe(streams("events"))))))

  def close(): Unit = desk.close()

  private def hops(job: String): Hops = Workload(Text.read[Job](job).workload).question match {
    case Grouped(hops: Hops, Values.Sums, _, _, _) => hops
    case other                                     => sys.error(s"Python does not support $other")
  }
}
