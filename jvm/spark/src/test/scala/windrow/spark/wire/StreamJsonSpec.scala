package windrow.spark.wire

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.scalatest.funsuite.AnyFunSuite

final class StreamJsonSpec extends AnyFunSuite {

  private def codes(stream: String, output: String = "panes"): Seq[String] = {
    val text =
      s"""{"window": {"kind": "tumbling", "size": 60000000}, "lateness": 0, "stream": $stream, "output": "$output"}"""
    StreamJson(new ObjectMapper().readTree(text).asInstanceOf[ObjectNode]).left.getOrElse(Nil).map(_.code)
  }

  test("a delay is not negative") {
    assert(codes("""{"time": "t", "watermark": 0}""").isEmpty)
    assert(codes("""{"time": "t", "watermark": -1}""").nonEmpty)
    assert(codes("""{"time": "t", "processing_time_watermark": -1}""").nonEmpty)
  }

  test("an output is one of those that there are") {
    assert(codes(
      """{"time": "t"}""",
      "rejected").isEmpty && codes("""{"time": "t"}""", "none") == Seq("VALUE_UNKNOWN"))
  }
}
