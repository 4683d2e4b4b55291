package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite

/** R1: cutting a stream into other steps moves panes, never the last value over the same accepted messages. */
class CutSuite extends AnyFunSuite {

  /** Every message is accepted, and all windows are closed. */
  private def acceptingAll(seed: Long): TranscriptCase = {
    val transcript = RandomCase(seed)
    val spec       = transcript.specJson.deepCopy.put("lateness", 1000000000000L).put("accumulation", "accumulating")
    spec.remove("max_future")
    transcript.copy(specJson = spec, atEnd = Some(AtEnd(isFinal = true)))
  }

  /** One row for each live window: panes less retractions, the last of each. */
  private def lastValues(outcome: Outcome): Map[(Scalar, Long, Long), Content] = outcome match {
    case Outcome.Ran(results, atEnd) =>
      val panes = results.collect { case StepResult.Emitted(emission) => emission }.flatMap(_.panes) ++ atEnd.get.panes
      panes.foldLeft(Map.empty[(Scalar, Long, Long), Content]) { (live, pane) =>
        val window = (pane.key, pane.start, pane.end)
        if (pane.isRetraction) live - window else live + (window -> pane.value)
      }
    case other => fail(other.toString)
  }

  for (engine <- Seq(ReferenceEngine, new CoreEngine))
    test(s"${engine.name}: the last values of 300 streams in other cuts") {
      (1L to 300L).foreach { seed =>
        val transcript = acceptingAll(seed)
        val expected   = lastValues(ReferenceEngine.run(transcript))
        Seq(Recut.cut(transcript, seed), Recut.cut(transcript, -seed)).foreach { other =>
          assert(lastValues(engine.run(other)) == expected, TranscriptWriter.write(other))
        }
      }
    }

  test("a cut keeps messages, in their order, and where time ends") {
    val transcript               = RandomCase(3)
    val other                    = Recut.cut(transcript, 1)
    def feeds(c: TranscriptCase) = c.steps.collect { case feed: Step.Feed => feed }
    assert(feeds(other).flatMap(_.messages) == feeds(transcript).flatMap(_.messages))
    assert(feeds(other).flatMap(_.watermark).lastOption == feeds(transcript).flatMap(_.watermark).lastOption)
    assert((1 to 20).map(i => Recut.cut(transcript, i.toLong).steps.size).distinct.size > 1)
  }
}
