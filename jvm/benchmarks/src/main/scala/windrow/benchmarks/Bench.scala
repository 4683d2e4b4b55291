package windrow.benchmarks

import java.nio.file.Files
import java.nio.file.Path
import scala.util.control.NonFatal

/** Windrow against Spark's own windows, the engine's floor and reading alone. `scripts/bench` runs it; docs/benchmarks.md
  * says how to read it.
  */
object Bench {
  private val Folder = Path.of(".build/bench")

  def main(words: Array[String]): Unit = Arguments.parse(words.toList) match {
    case Left(problem) =>
      System.err.println(s"$problem\n${Arguments.Usage}")
      sys.exit(2)
    case Right(arguments) =>
      val results = new Bench(arguments).run()
      println(s"\nCPU microseconds for each event: median (least-most) of ${arguments.repeats}; ${arguments.events} events in batches of ${arguments.batch}\n")
      println(if (arguments.firings) Report.firings(results) else Report.table(results))
      sys.exit(if (results.exists(_.outcome.isLeft)) 1 else 0)
  }

  private def say(text: String): Unit = System.err.println(s"windrow: $text")
}

final class Bench(arguments: Arguments) {
  import Bench._

  private val scratch = Files.createDirectories(Folder.toAbsolutePath.resolve("scratch"))
  private val session = BenchSession.start(scratch, arguments.settings)
  private val files   = new EventFiles(session, Folder.toAbsolutePath.resolve("events"))
  private val trial   = new Trial(scratch)
  private val check   = new Verification(scratch)

  // What does not depend on the windows is run once for each stream of events.
  private val shared = scala.collection.mutable.HashMap.empty[(Contender, Events), Seq[Measured]]

  def run(): Seq[Result] =
    try arguments.workloads.map(workload => Result(workload, outcome(workload)))
    finally {
      session.stop()
      Folders.delete(scratch)
    }

  private def outcome(workload: Workload): Either[String, Map[Contender, Seq[Measured]]] =
    try verified(workload).flatMap(_ => measured(workload))
    catch { case NonFatal(e) => Left(s"${e.getClass.getSimpleName}: ${e.getMessage}") }

  /** On fewer events, in several batches; it warms the JVM as well. */
  private def verified(workload: Workload): Either[String, Unit] = {
    say(s"${workload.name}: is the output equal?")
    val (count, batch) = (240000L, 60000L)
    val expected       = check.plain(files.all(workload.events, count, batch), workload.windows)
    val streamed = for {
      contender <- arguments.contenders
      results   <- contender.results(contender.query(files.stream(workload.events, count, batch), workload.windows))
    } yield contender -> check.streamed(results)
    streamed.find(_._2 != expected) match {
      case Some((contender, other))   => Left(s"${contender.name} gives $other, the plain computation $expected")
      case None if expected.rows == 0 => Left("there is no output to compare")
      case None                       => Right(say(s"${workload.name}: yes, ${expected.rows} rows"))
    }
  }

  private def measured(workload: Workload): Either[String, Map[Contender, Seq[Measured]]] = {
    val known = arguments.contenders.flatMap(c => shared.get((c, workload.events)).map(c -> _)).toMap
    val runs = for {
      repeat    <- 1 to arguments.repeats
      contender <- turned(arguments.contenders.filterNot(known.contains), repeat)
    } yield {
      val query = contender.query(files.stream(workload.events, arguments.events, arguments.batch), workload.windows)
      val found = trial.run(query)
      say(
        f"${workload.name} $repeat: ${contender.name}%-8s ${found.cpu}%6.2f us/event ${found.perSecond}%,10.0f events/s ${found.rows}%,10d rows")
      contender -> found
    }
    val all = known ++ runs.groupMap(_._1)(_._2)
    Seq[Contender](Floor, Reading).foreach(c => all.get(c).foreach(shared((c, workload.events)) = _))
    val rows = Seq[Contender](Windrow, SparkOwn).flatMap(c => all.getOrElse(c, Nil)).map(_.rows).distinct
    if (rows.size > 1) Left(s"the runs gave unequal numbers of rows: ${rows.mkString(", ")}") else Right(all)
  }

  /** Every second time the other way round, so that nobody always comes after the same one. */
  private def turned(contenders: Seq[Contender], repeat: Int): Seq[Contender] =
    if (repeat % 2 == 0) contenders.reverse else contenders
}
