package windrow.spark.rows

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state.{Damage, DamagedStateError}

/** Tests that reading a row never accesses memory outside its bytes, whatever they contain (SEMANTICS S1). */
final class RowShapeSuite extends AnyFunSuite {
  private val schema = StructType.fromDDL(
    "k string, n bigint, d decimal(38,2), b binary, a array<string>, w array<int>, m map<string,bigint>, " +
      "s struct<x: string, y: array<struct<z: string>>>, i int")

  private val value = Row(
    "apple",
    7L,
    new java.math.BigDecimal("12345678901234567890.12"),
    Array[Byte](1, 2, 3),
    Seq("x", null, "longer than eight"),
    Seq(1, 2, 3),
    Map("one" -> 1L, "two" -> 2L),
    Row("inner", Seq(Row("deep"), Row(null))),
    3)

  private val shape = new RowShape(schema.map(_.dataType))

  private val bytes: Array[Byte] = {
    val row = CatalystTypeConverters.createToCatalystConverter(schema)(value).asInstanceOf[InternalRow]
    UnsafeProjection.create(schema)(row).getBytes.clone()
  }

  test("rows as written") {
    assert(shape.of(bytes) == Rows.of(bytes, schema.size))
  }

  test("rows of other columns") {
    val other = StructType.fromDDL("n int")
    assert(intercept[DamagedStateError](Rows.of(UnsafeProjection.create(other)(InternalRow(5)).getBytes, 2)).getMessage
      .startsWith("[STATE_DAMAGED] A row of 16 bytes cannot be read: it is not a row of 2 columns. "))
    val number = UnsafeProjection.create(other)(InternalRow(-1)).getBytes
    assert(
      intercept[DamagedStateError](new RowShape(Seq(StringType)).of(number)).getMessage.contains("a row of (STRING)"))
    Seq(0, 7, 15).foreach(size => intercept[DamagedStateError](Rows.of(bytes.take(size), 1)))
  }

  test(s"S1: ${Damage.Count} rows with other bytes are read, or refused by name") {
    val found = Damage.refusedBytes("rows", bytes)(changed => read(shape.of(changed), schema))
    assert(found > Damage.Count / 10)
  }

  /** Reads all values of a row. */
  private def read(row: InternalRow, of: StructType): Unit = of.zipWithIndex.foreach { case (field, i) =>
    if (!row.isNullAt(i)) field.dataType match {
      case StringType         => row.getUTF8String(i).getBytes
      case BinaryType         => row.getBinary(i)
      case inner: StructType  => read(row.getStruct(i, inner.size), inner)
      case ArrayType(of, _)   => row.getArray(i).foreach(of, (_, _) => ())
      case MapType(of, to, _) => row.getMap(i).foreach(of, to, (_, _) => ())
      case _                  => ()
    }
  }
}
