package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow.replay._

/** Compares the number of open windows that shards report with the number found by a visit of all windows, after each
  * step of random cases with restarts between the steps (SEMANTICS S16).
  */
class OpenCountSuite extends AnyFunSuite {
  import RandomFamily._

  private val count = math.max(20, Drawn.cases / 50)

  /** The core with a comparison after each step. */
  private final class Counting(see: (Long, Long) => Unit) extends CoreEngine(shards = 2) {
    override private[windrow] def drive(transcript: TranscriptCase, operator: CoreOperator): Outcome = {
      val counted = operator.asInstanceOf[CoreStores[_]]
      StepwiseOperator.run(
        transcript,
        new StepwiseOperator {
          def step(feed: Step.Feed): Emission = looking(operator.step(feed))
          def finish(): Emission              = looking(operator.finish())
          def restart(): Unit                 = operator.restart()
          def ask(query: Query): Answer       = operator.ask(query)

          private def looking(out: Emission): Emission = {
            counted.openWindows.foreach(see.tupled)
            out
          }
        })
    }
  }

  /** @return
    *   the greatest number that was reported
    */
  private def check(transcript: TranscriptCase): Long = {
    var most = 0L
    // Filled gaps are found, but not counted, because they contain nothing. Windows that retractions have emptied are
    // counted, but not found.
    val fills  = transcript.specJson.path("fill_gaps").asBoolean(false)
    val passes = transcript.specJson.toString.contains("inherit")
    new Counting({ (told, found) =>
      most = math.max(most, told)
      if (fills) assert(told <= found, TranscriptWriter.write(transcript))
      else if (passes) assert(told >= found, TranscriptWriter.write(transcript))
      else assert(told == found, TranscriptWriter.write(transcript))
    }).run(Recut.restarted(transcript))
    most
  }

  private def checkAll(kind: String)(make: (Long, Int) => TranscriptCase): Unit = test(s"S16: open windows of $kind") {
    val most = (1L to count.toLong).map(seed => check(make(seed, if (seed % 20 == 0) 40 else 1))).max
    assert(most > 0)
  }

  for (family <- Seq(Aligned, Calendar, Sessions, Everything, FilledGaps, TupleSessions, Inherited))
    checkAll(family.name)((seed, scale) => RandomCase(seed, family, scale = scale))
  checkAll("full state")(RandomStoreCase.fullState)
}
