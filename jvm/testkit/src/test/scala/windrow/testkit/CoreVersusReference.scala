package windrow.testkit

import java.nio.file.{Files, Paths, StandardOpenOption}
import org.scalatest.funsuite.AnyFunSuite

/** The core on random cases: equal to the reference in panes, rejected messages and counters, however the case is told.
  *
  * `-Dwindrow.cases=10000` for more of them, `-Dwindrow.seed=…` for others. A case that fails is left out of steps and
  * messages as long as it still fails, and written to `target/failed-cases.jsonl` with what the reference says.
  */
class CoreVersusReference extends AnyFunSuite {

  private val count = sys.props.getOrElse("windrow.cases", "500").toInt
  private val first = sys.props.getOrElse("windrow.seed", "1").toLong

  private val engines: Seq[(String, TranscriptCase => Outcome)] = Seq(
    "one shard"             -> (new CoreEngine(shards = 1).run(_)),
    "sixteen shards"        -> (new CoreEngine(shards = 16).run(_)),
    "other orders in steps" -> (c => new CoreEngine().run(Recut.shuffled(c, c.id.hashCode.toLong))),
    "restarts everywhere"   -> (c => Recut.withoutRestarts(new CoreEngine().run(Recut.restarted(c)))))

  /** What queries run on is tried most. */
  private def casesOf(family: RandomFamily): Int =
    if (family == RandomFamily.InQueries) count else math.max(20, count / 20)

  for (family <- RandomFamily.All; (name, run) <- engines)
    test(s"${casesOf(family)} ${family.name} cases from seed $first: $name") {
      (first until first + casesOf(family)).foreach { seed =>
        val transcript = RandomCase(seed, family, offsets = seed % 5 != 0)
        if (differences(transcript, run).nonEmpty) report(smallest(transcript, run), run)
      }
    }

  test("20 cases whose state is cut into many pieces") {
    (first until first + 20).foreach { seed =>
      val transcript = RandomCase(seed, scale = 40)
      val run        = engines(seed.toInt.abs % engines.size)._2
      if (differences(transcript, run).nonEmpty) report(smallest(transcript, run), run)
    }
  }

  test("the core runs every transcript; what it does otherwise than expected stands in known-gaps.json") {
    val notRun = for {
      file       <- TranscriptFiles.all
      transcript <- TranscriptFiles.cases(file)
      reason     <- new CoreEngine().run(transcript) match { case Outcome.NotRun(why) => Some(why); case _ => None }
    } yield s"${transcript.id}: $reason"
    assert(notRun.isEmpty)
  }

  private def differences(transcript: TranscriptCase, run: TranscriptCase => Outcome): Seq[String] = {
    val plain    = transcript.copy(steps = transcript.steps.filter(_ != Step.Restart)) // told anew by `run`
    val expected = ReferenceEngine.run(plain).inPlaceOfExpected(plain)
    try run(expected) match {
        case Outcome.NotRun(reason) => Seq(s"not run: $reason")
        case outcome                => Comparison.differences(expected, outcome)
      }
    catch { case e: RuntimeException => Seq(s"threw $e ${e.getStackTrace.take(3).mkString(" ")}") }
  }

  private def smallest(transcript: TranscriptCase, run: TranscriptCase => Outcome): TranscriptCase =
    Recut.smaller(transcript).find(differences(_, run).nonEmpty).fold(transcript)(smallest(_, run))

  private def report(transcript: TranscriptCase, run: TranscriptCase => Outcome): Unit = {
    val line = TranscriptWriter.write(ReferenceEngine.run(transcript).inPlaceOfExpected(transcript))
    val file = Paths.get("target", "failed-cases.jsonl")
    Files.createDirectories(file.getParent)
    Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND)
    fail(s"${transcript.id}, written to $file:\n$line\n${differences(transcript, run).mkString("\n")}")
  }
}
