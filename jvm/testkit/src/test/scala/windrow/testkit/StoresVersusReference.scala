package windrow.testkit

import java.nio.file.{Files, Paths, StandardOpenOption}
import org.scalatest.funsuite.AnyFunSuite

/** Full state, joins and co-groups on random cases: the core equals the slow reference in panes, rows, rejected messages,
  * queries and counters, however the case is told. `-Dwindrow.cases` and `-Dwindrow.seed` as in [[CoreVersusReference]].
  */
class StoresVersusReference extends AnyFunSuite {
  private val count = math.max(20, sys.props.getOrElse("windrow.cases", "10000").toInt / 20)
  private val first = sys.props.getOrElse("windrow.seed", "1").toLong

  private val kinds = Seq[(String, (Long, Int) => TranscriptCase)](
    "full state" -> (RandomStoreCase.fullState(_, _)),
    "join"       -> (RandomStoreCase.join(_, _)),
    "co-group"   -> (RandomStoreCase.coGroup(_, _)),
    "policy"     -> ((seed, _) => RandomPolicyCase(seed)))

  private val tellings: Seq[(String, TranscriptCase => Outcome)] = Seq(
    "one shard"             -> (new CoreEngine(shards = 1).run(_)),
    "sixteen shards"        -> (new CoreEngine(shards = 16).run(_)),
    "other orders in steps" -> (c => new CoreEngine().run(Recut.shuffled(c, c.id.hashCode.toLong))),
    "restarts everywhere"   -> (c => Recut.withoutRestarts(new CoreEngine().run(Recut.restarted(c)))))

  for ((kind, make) <- kinds; (telling, run) <- tellings) test(s"$count of $kind from seed $first: $telling") {
    (first until first + count).foreach(seed => check(make(seed, 1), run))
  }

  for ((kind, make) <- kinds) test(s"20 of $kind whose state is cut into many pieces") {
    (first until first + 20).foreach(seed => check(make(seed, 30), tellings(seed.toInt.abs % tellings.size)._2))
  }

  private def check(transcript: TranscriptCase, run: TranscriptCase => Outcome): Unit =
    if (differences(transcript, run).nonEmpty) report(smallest(transcript, run), run)

  private def plain(transcript: TranscriptCase): TranscriptCase =
    transcript.copy(steps = transcript.steps.filter(_ != Step.Restart)) // told anew by `run`

  private def differences(transcript: TranscriptCase, run: TranscriptCase => Outcome): Seq[String] =
    ReferenceEngine.run(plain(transcript)) match {
      case ran: Outcome.Ran =>
        val expected = ran.inPlaceOfExpected(plain(transcript))
        try Comparison.differences(expected, run(expected))
        catch { case e: RuntimeException => Seq(s"threw $e ${e.getStackTrace.take(5).mkString(" ")}") }
      case Outcome.NotRun(_)      => Nil
      case Outcome.Refused(found) => Seq(s"the case is no case: ${found.mkString(" ")}")
    }

  private def smallest(transcript: TranscriptCase, run: TranscriptCase => Outcome): TranscriptCase =
    Recut.smaller(transcript).find(differences(_, run).nonEmpty).fold(transcript)(smallest(_, run))

  private def report(transcript: TranscriptCase, run: TranscriptCase => Outcome): Unit = {
    val line = TranscriptWriter.write(ReferenceEngine.run(plain(transcript)).inPlaceOfExpected(plain(transcript)))
    val file = Paths.get("target", "failed-cases.jsonl")
    Files.createDirectories(file.getParent)
    Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND)
    fail(s"${transcript.id}, written to $file:\n$line\n${differences(transcript, run).mkString("\n")}")
  }
}
