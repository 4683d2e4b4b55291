package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow.replay._

/** Divides a stream into other steps (SEMANTICS R1): panes may move, but the last values over the same accepted
  * messages stay the same.
  */
class CutSuite extends AnyFunSuite {
  private val count = math.max(100, Drawn.cases / 20)
  private val first = Drawn.first

  private def lastValues(engine: Engine, transcript: TranscriptCase) =
    LastValues.of(engine.run(transcript), transcript.id)

  // Only windows on offsets have the same bounds if the stream is divided in another way; other tuple windows do not.
  private val families =
    (RandomFamily.InQueries +: RandomFamily.Timed) ++ Seq(
      RandomFamily.Cuts,
      RandomFamily.FilledGaps,
      RandomFamily.OffsetWindows)

  for (family <- families)
    test(s"the last values of $count streams in other cuts: ${family.name}, reference and core") {
      (first until first + count).foreach { seed =>
        val transcript = LastValues.accepting(RandomCase(seed, family))
        val expected   = lastValues(ReferenceEngine, transcript)
        val cut        = Recut.cut(transcript, seed)
        assert(lastValues(ReferenceEngine, cut) == expected, TranscriptWriter.write(cut))
        if (family != RandomFamily.OffsetWindows)
          assert(lastValues(new CoreEngine, Recut.cut(transcript, -seed)) == expected, TranscriptWriter.write(cut))
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
