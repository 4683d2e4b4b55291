package windrow.benchmarks

import java.nio.file.{Files, Path}
import scala.util.control.NonFatal
import windrow.benchmarks.queries.Amount

/** Compares Windrow with its peers. `scripts/bench` runs it; docs/benchmarks.md explains how to read the results. */
object Bench {
  def main(words: Array[String]): Unit = Arguments.parse(words.toList) match {
    case Left(problem) =>
      System.err.println(s"$problem\n${Arguments.Usage}")
      sys.exit(2)
    case Right(arguments) =>
      val kept  = if (arguments.keep && Files.exists(arguments.json)) read(arguments.json) else Findings(Nil)
      val lanes = new Lanes(arguments.settings)
      try {
        val found = new Bench(arguments, lanes).run(kept)(so => Files.writeString(arguments.json, Text.pretty(so)))
        sys.exit(if (found.results.exists(_.error.nonEmpty)) 1 else 0)
      } finally lanes.close()
  }

  private def read(file: Path): Findings = Text.read[Findings](Files.readString(file))

  private def say(text: String): Unit = System.err.println(s"windrow: $text")
}

final class Bench(arguments: Arguments, lanes: Lanes) {
  import Bench._

  /** @param kept
    *   results of other workloads
    * @param noted
    *   receives all results after each workload
    */
  def run(kept: Findings)(noted: Findings => Unit): Findings = arguments.workloads.foldLeft(kept) { (known, workload) =>
    val result =
      try found(workload)
      catch { case NonFatal(e) => Result(workload.name, error = Some(e.toString)) }
    val now = known.and(result.copy(made = surroundings))
    noted(now)
    now
  }

  private def surroundings: String = {
    val windrow = sys.env.get("WINDROW_COMMIT").map("windrow " + _)
    val flink   = if (arguments.flink) Seq("Flink " + Lane.flinkVersion) else Nil
    val words = windrow.toSeq ++ Seq(s"Spark ${org.apache.spark.SPARK_VERSION}") ++ flink ++ Seq(
      s"Java ${Runtime.version}",
      s"${Runtime.getRuntime.availableProcessors} cores",
      s"heap ${Runtime.getRuntime.totalMemory >> 20} of ${Runtime.getRuntime.maxMemory >> 20} MB at the start",
      java.time.LocalDate.now(java.time.ZoneOffset.UTC).toString)
    (words ++ arguments.settings.map { case (name, value) => s"$name=$value" }).mkString(", ")
  }

  private def found(workload: Workload): Result = {
    val amount = arguments.amount(workload)
    val wrong  = unequal(workload)
    wrong.foreach(why => say(s"${workload.name}: $why"))
    if (wrong.nonEmpty || arguments.checkOnly)
      Result(workload.name, events = amount.events, batch = amount.batch, error = wrong)
    else {
      val runs = (1 to arguments.repeats).flatMap(timed(workload, amount, _))
      Result(workload.name, "", amount.events, amount.batch, runs, disagreement(workload, runs))
    }
  }

  /** Compares the outputs on fewer events, in several batches. Returns the difference, because a workload whose outputs
    * differ is not timed.
    */
  private def unequal(workload: Workload): Option[String] = {
    val asked    = arguments.contenders(workload)
    val expected = digest(workload, Windrow, Job.Plain)
    prepare(workload, workload.check)
    val wrong = asked.filter(mustAnswer).flatMap { contender =>
      val found = digest(workload, contender, Job.Check)
      Option.when(!same(workload, contender, found, expected))(s"${contender.name} gives $found, not $expected")
    }
    if (expected.rows == 0) Some("the output is empty, so it cannot be compared")
    else if (wrong.nonEmpty) Some(wrong.mkString("; "))
    else {
      say(s"${workload.name}: ${expected.rows} equal rows of ${asked.map(_.name).mkString(", ")}")
      None
    }
  }

  private def digest(workload: Workload, contender: Contender, task: String): Digest = {
    val reply = lanes.lasting(contender).ask(Orders.of(task, workload, contender, workload.check))
    reply.digest.orElse(reply.measured.map(_.digest))
      .getOrElse(sys.error(s"${contender.name}: ${reply.error.getOrElse("no answer")}"))
  }

  /** Times two of the runs of a new process: the first, when the process is fresh, and the last, when it is warm. */
  private def timed(workload: Workload, amount: Amount, repeat: Int): Seq[Timed] = {
    prepare(workload, amount)
    if (!arguments.quick) lanes.close()
    turned(arguments.contenders(workload), repeat).flatMap { contender =>
      def run(lane: Lane, pass: String) = {
        val reply    = lane.ask(Orders.of(Job.Time, workload, contender, amount))
        val measured = reply.measured.getOrElse(sys.error(s"${contender.name}: ${reply.error.getOrElse("no answer")}"))
        say(f"${workload.name} $repeat $pass%-5s ${contender.name}%-18s ${measured.cpu}%7.2f us/event ${measured.digest.rows}%,10d rows")
        Timed(contender.name, pass, repeat, measured)
      }
      if (arguments.quick) Seq(run(lanes.lasting(contender), Timed.Warm))
      else lanes.once(contender) { lane =>
        def clocked(pass: String): (Timed, Double) = {
          val began = System.nanoTime
          (run(lane, pass), (System.nanoTime - began) / 1e9)
        }
        val (fresh, seconds) = clocked(Timed.Fresh)
        val (warm, _)        = Warmth.warm(seconds, () => clocked(Timed.Warm))(_._2)
        Seq(fresh, warm)
      }
    }
  }

  /** Writes the input files in another process, so that a process is still fresh when it is timed. */
  private def prepare(workload: Workload, amount: Amount): Unit = if (workload.pace.isEmpty) {
    val inFlink = arguments.contenders(workload).exists(_.isInstanceOf[InFlink])
    (Seq(Job.Write) ++ Option.when(inFlink)(Job.Decode)).foreach { task =>
      lanes.lasting(Windrow).ask(Job(task, workload.name, Windrow.name, amount)).error.foreach(sys.error)
    }
  }

  /** Returns a difference between the rows of contenders that must emit the same panes for all events. */
  private def disagreement(workload: Workload, runs: Seq[Timed]): Option[String] = {
    val alike = runs.filter(run =>
      workload.pace.isEmpty && Contender.comparable(Contender.all.find(_.name == run.contender).get, workload.question))
    alike.find(run =>
      !same(workload, Contender.all.find(_.name == run.contender).get, run.measured.digest, alike.head.measured.digest))
      .map(run =>
        s"${run.contender} gave ${run.measured.digest}, ${alike.head.contender} ${alike.head.measured.digest}")
  }

  private def mustAnswer(contender: Contender): Boolean = contender match {
    case inSpark: InSpark => inSpark.answers
    case _                => true
  }

  private def same(workload: Workload, contender: Contender, found: Digest, expected: Digest): Boolean =
    contender match {
      case InFlink(_) if workload.question.flink.exists(_.ordered) => found.rows == expected.rows
      case _                                                       => found == expected
    }

  /** Reverses the order for every second repeat, so that a contender does not always run after the same one. */
  private def turned(contenders: Seq[Contender], repeat: Int): Seq[Contender] =
    if (repeat % 2 == 0) contenders.reverse else contenders
}
