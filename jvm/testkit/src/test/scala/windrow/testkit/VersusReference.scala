package windrow.testkit

import windrow.replay._

import java.nio.file.{Files, Paths, StandardOpenOption}
import org.scalatest.funsuite.AnyFunSuite

/** The core on random cases: equal to the slow reference in panes, rows, events, rejected messages, answers and counters,
  * however the case is told.
  *
  * `-Dwindrow.cases=10000` for more of them, `-Dwindrow.seed=…` for others. A case that fails is left out of steps and
  * messages as long as it still fails, and written to `target/failed-cases.jsonl` with what the reference says.
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
