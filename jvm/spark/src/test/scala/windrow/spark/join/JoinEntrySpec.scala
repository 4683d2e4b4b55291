package windrow.spark.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.operator.Origin
import windrow.core.state.{ByteWriter, Damage}

/** Tests the format of join rows in packets (SEMANTICS S1). */
final class JoinEntrySpec extends AnyFunSuite {
  private val row                                       = UnsafeProjection.create(Array[DataType](StringType, LongType))
  private def of(text: String, number: Long): UnsafeRow = row(InternalRow(UTF8String.fromString(text), number)).copy()

  private val packet = {
    val out = new ByteWriter()
    JoinEntry.write(out, 0, of("a", 1), Some(-5L), None, of("x", 2))
    JoinEntry.write(out, 1, of(null, 3), None, Some(Origin("b/eu", 4, 7)), of("y", 4))
    out.result()
  }

  test("entries come out of a packet as they went in") {
    val found = JoinEntry.read(packet, 2).toSeq
    assert(found.map(_._1) == Seq(0, 1))
    assert(found.map(_._2.time) == Seq(Some(-5L), None))
    assert(found.map(_._2.origin) == Seq(None, Some(Origin("b/eu", 4, 7))))
  }

  test(s"S1: ${Damage.Count} packets with other bytes are read, or refused by name") {
    assert(Damage.refusedBytes("entries of joins", packet)(JoinEntry.read(_, 2).foreach(_ =>
      ())) > Damage.Count / 10)
  }
}
