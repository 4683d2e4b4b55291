package windrow.testkit

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.scalatest.funsuite.AnyFunSuite
import windrow.replay._

/** Messages of a step that several windows have yet to send: each window has its own pieces, which are removed with it
  * and leave those of the other windows in place (SEMANTICS S10).
  */
class OwnPiecesSuite extends AnyFunSuite {

  private val spec = new ObjectMapper().readTree("""{"operator": "aggregate", "time_unit": "us", "lateness": 0,
    "window": {"kind": "hopping", "size": 20, "step": 5}, "early": {"every_time": 1000000}, "accumulation": "discarding",
    "aggregates": {"all": "collect"}}""").asInstanceOf[ObjectNode]

  private def transcript(messages: Int): TranscriptCase = {
    val all = (0 until messages).map(i =>
      Message(Scalar("a"), Some(17L), Scalar(s"$i " + "x" * 100), partition = Some(0), offset = Some(i.toLong)))
    val steps = Step.Feed(all, processingTime = Some(0)) +:
      (20L to 40L by 5).flatMap(watermark => Seq(Step.Restart, Step.Feed(Nil, watermark = Some(watermark))))
    TranscriptCase(s"own-pieces-$messages", None, TimeUnit.Micros, spec, steps, atEnd = None)
  }

  for ((messages, piece) <- Seq(8 -> 64, 60 -> 4096, 400 -> 4096))
    test(s"$messages messages, pieces of $piece bytes: each of four windows fires its own") {
      val expected = ReferenceEngine.run(transcript(messages)).inPlaceOfExpected(transcript(messages))
      val operator =
        new CoreEngine(2).operator(expected, CoreStores.Sizes(page = 4096, piece, large = 512)).toOption.get
      assert(Comparison.differences(expected, StepwiseOperator.run(expected, operator)).isEmpty)
    }
}
