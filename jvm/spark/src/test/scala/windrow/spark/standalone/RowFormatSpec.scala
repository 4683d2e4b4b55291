package windrow.spark.standalone

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Literal, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state.{ByteReader, ByteWriter, Damage}

/** Tests the format of rows in standalone operators (SEMANTICS S1). */
final class RowFormatSpec extends AnyFunSuite {
  private val columns = StructType.fromDDL("key string, value bigint, text string")

  private def input(name: String): Input = {
    val attributes = DataTypeUtils.toAttributes(columns)
    val key        = Seq("key" -> attributes.head)
    new Input(name, columns, LocalRelation(attributes), Literal(0L), LongType, None, Nil, Nil, key, Seq("key"))
  }

  private val format = new RowFormat(IndexedSeq(input("orders"), input("shipments")))

  private val row = UnsafeProjection.create(columns)(
    InternalRow(UTF8String.fromString("a key"), 7L, UTF8String.fromString("longer than eight"))).copy()

  private def written(message: Message): Array[Byte] = {
    val out = new ByteWriter
    format.messages.write(message, out)
    out.result()
  }

  test("a message is read as it was written") {
    val message = Message(1, row)
    assert(format.messages.read(ByteReader(written(message))) == message)
  }

  test(s"S1: ${Damage.Count} with other bytes are read, or refused by name") {
    val refused = Damage.refusedBytes("messages of operators", written(Message(1, row))) { bytes =>
      val read = format.messages.read(ByteReader(bytes)).row
      Seq(0, 2).filterNot(read.isNullAt).foreach(i => read.getUTF8String(i).getBytes)
    }
    assert(refused > Damage.Count / 10)
  }
}
