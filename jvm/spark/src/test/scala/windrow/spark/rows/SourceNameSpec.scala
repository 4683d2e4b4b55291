package windrow.spark.rows

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

final class SourceNameSpec extends AnyFunSuite {

  test("R13: no text is the name of bytes that are none") {
    val bytes = UTF8String.fromBytes(Array[Byte](-1, 1))
    val alike = UTF8String.fromString("\uffffff01")
    assert(SourceName.of(bytes) == "\uffffff01")
    assert(SourceName.of(alike) != SourceName.of(bytes))
    assert(SourceName.of(UTF8String.fromString("\uffff")) != "\uffff")
    assert(SourceName.of(UTF8String.fromString("topic")) == "topic")
  }
}
