package windrow.testkit

import java.nio.file.{Files, Paths, StandardOpenOption}
import org.scalatest.funsuite.AnyFunSuite
import windrow.replay._

/** Runs random cases on the core and on the slow reference. Panes, rows, events, rejected messages, answers and
  * counters must be equal, in whichever way the case is run.
  *
  * Set `-Dwindrow.cases=10000` for more cases, and `-Dwindrow.seed=…` for others. A failed case is shrunk by leaving
  * out steps and messages for as long as it still fails, and written to `target/failed-cases.jsonl` with the results of
  * the reference.
  */
abstract class VersusReference extends AnyFunSuite {

  protected def count: Int  = Drawn.cases
  protected val first: Long = Drawn.first

  protected type Telling = AgainstReference.Telling

  protected def tellings(seed: Long): Seq[(String, Telling)] = Tellings.of(seed)

  protected def check(transcript: TranscriptCase, seed: Long): Unit = {
    val expected = AgainstReference.expected(transcript)
    for ((name, telling) <- tellings(seed) if AgainstReference.differences(expected, telling).nonEmpty)
      report(AgainstReference.smallest(transcript, telling), name, telling)
  }

  protected def check(kind: String, count: Int = count)(make: Long => TranscriptCase): Unit =
    test(s"$count $kind from seed $first") {
      (first until first + count).foreach(seed => check(make(seed), seed))
    }

  private def report(transcript: TranscriptCase, name: String, telling: Telling): Unit = {
    val expected = AgainstReference.expected(transcript)
    val line     = TranscriptWriter.write(expected)
    val file     = Paths.get("target", "failed-cases.jsonl")
    Files.createDirectories(file.getParent)
    Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND)
    fail(
      s"${transcript.id}, $name, written to $file:\n$line\n${AgainstReference.differences(expected, telling).mkString("\n")}")
  }
}
