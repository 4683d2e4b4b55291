package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state.Damage

/** Tests the format of questions to a shard (SEMANTICS S1, S7). */
final class QuestionPacketSpec extends AnyFunSuite {
  private val row    = UnsafeProjection.create(Array[DataType](LongType, LongType))
  private val values = row(InternalRow(4L, 5L)).copy()

  private def packet(start: Any, end: Any) = QuestionPacket.write(values, InternalRow(start, end), values, values)

  test("a question is read as it was written") {
    for ((start, end) <- Seq((1L, 2L), (null, 2L), (1L, null), (null, null))) {
      val (question, asks) = QuestionPacket.read(packet(start, end))
      assert(question.start == Option(start).map(_.asInstanceOf[Long]))
      assert(question.end == Option(end).map(_.asInstanceOf[Long]))
      assert(asks.toSeq == values.getBytes.toSeq)
    }
  }

  test(s"S1: ${Damage.Count} packets with other bytes are read, or refused by name") {
    assert(Damage.refusedBytes(
      "questions",
      packet(1L, 2L))(QuestionPacket.read) > Damage.Count / 10)
  }
}
