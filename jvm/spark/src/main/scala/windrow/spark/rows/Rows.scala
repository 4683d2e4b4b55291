package windrow.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute, BoundReference, CreateNamedStruct, Expression, UnsafeProjection, UnsafeRow
}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import windrow.ErrorConditions
import windrow.core.state.{ByteReader, ByteWriter, DamagedStateError}

/** Reads and writes rows as byte strings. Spark reads rows without bounds checks, so their size is checked here.
  * [[RowShape]] checks the values of variable width.
  */
object Rows {

  def write(row: UnsafeRow, out: ByteWriter): Unit = row.getBaseObject match {
    case bytes: Array[Byte] =>
      out.bytes(bytes, (row.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt, row.getSizeInBytes)
    case _ => out.bytes(row.getBytes)
  }

  /** Returns a projection to a struct, as a row with its bytes. */
  def ofStruct(struct: Expression, schema: Seq[Attribute]): InternalRow => UnsafeRow = struct match {
    case fields: CreateNamedStruct =>
      val project = UnsafeProjection.create(fields.valExprs, schema)
      row => project(row)
    case other =>
      val project = UnsafeProjection.create(Seq(other), schema)
      val width   = other.dataType.asInstanceOf[StructType].size
      row => project(row).getStruct(0, width)
  }

  /** Reads a binary column without copying. The result is valid as long as its row. */
  def binary(row: InternalRow, column: Expression): ByteReader = (row, column) match {
    case (row: UnsafeRow, BoundReference(at, _, _)) if row.getBaseObject.isInstanceOf[Array[Byte]] =>
      val place = row.getLong(at) // offset and size
      val from  = row.getBaseOffset - Platform.BYTE_ARRAY_OFFSET + (place >>> 32)
      ByteReader.part(row.getBaseObject.asInstanceOf[Array[Byte]], from.toInt, place.toInt)
    case _ => ByteReader(column.eval(row).asInstanceOf[Array[Byte]])
  }

  /** Reads a row that shares the reader's array. */
  def read(in: ByteReader, fields: Int): UnsafeRow = {
    val start = in.skipBytes()
    at(in.array, (Platform.BYTE_ARRAY_OFFSET + start).toLong, in.position - start, fields)
  }

  def of(bytes: Array[Byte], fields: Int): UnsafeRow =
    at(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length, fields)

  private def at(base: Array[Byte], offset: Long, size: Int, fields: Int): UnsafeRow = {
    val row = new UnsafeRow(fields)
    point(row, base, offset, size)
    row
  }

  /** Points a row at these bytes. */
  private[rows] def point(row: UnsafeRow, base: Array[Byte], offset: Long, size: Int): Unit = {
    val fields = row.numFields
    if ((size & 7) != 0 || size < least(fields)) throw damaged(size, s"not a row of $fields columns")
    row.pointTo(base, offset, size)
  }

  private[rows] def least(fields: Int): Int = UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields

  private[rows] def damaged(size: Int, why: String): DamagedStateError =
    new DamagedStateError(ErrorConditions.message("STATE_DAMAGED.ROW", "size" -> size, "why" -> why))
}

/** Checks that all values of variable width in rows of known types are inside the row. */
final class RowShape(types: Seq[DataType]) extends Serializable {
  private val columns                      = types.size
  private val apart: Array[Int]            = types.indices.filterNot(i => UnsafeRow.isFixedLength(types(i))).toArray
  private val shapes: Array[RowShape.Part] = apart.map(i => RowShape.part(types(i)))

  def of(bytes: Array[Byte]): UnsafeRow = checked(Rows.of(bytes, columns))

  def read(in: ByteReader): UnsafeRow = checked(Rows.read(in, columns))

  private def checked(row: UnsafeRow): UnsafeRow = {
    if (apart.length > 0 && !holds(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes))
      throw Rows.damaged(row.getSizeInBytes, s"not a row of (${types.map(_.sql).mkString(", ")})")
    row
  }

  private[rows] def holds(base: AnyRef, at: Long, size: Int): Boolean =
    size >= Rows.least(columns) && RowShape.all(apart.length) { i =>
      isNull(base, at, apart(i)) || {
        val place         = Platform.getLong(base, at + UnsafeRow.calculateBitSetWidthInBytes(columns) + 8L * apart(i))
        val (from, width) = ((place >>> 32).toInt, place.toInt)
        from >= 0 && width >= 0 && from.toLong + width <= size && shapes(i)(base, at + from, width)
      }
    }

  private def isNull(base: AnyRef, at: Long, field: Int): Boolean =
    (Platform.getLong(base, at + (field >> 6) * 8L) & (1L << (field & 63))) != 0
}

object RowShape {
  def apply(columns: StructType): RowShape = new RowShape(columns.map(_.dataType))

  /** Checks that a value ends within some bytes: array, offset, size. */
  private type Part = (AnyRef, Long, Int) => Boolean

  private val Anything: Part = (_, _, _) => true

  private def part(of: DataType): Part = of match {
    case struct: StructType    => new RowShape(struct.map(_.dataType)).holds(_, _, _)
    case ArrayType(element, _) => array(element)
    case MapType(key, value, _) =>
      val (keys, values) = (array(key), array(value))
      (base, at, size) =>
        size >= 8 && {
          val width = Platform.getLong(base, at)
          width >= 0 && width <= size - 8 && keys(base, at + 8, width.toInt) &&
          values(base, at + 8 + width, size - 8 - width.toInt)
        }
    case CalendarIntervalType => (_, _, size) => size == 16
    case _                    => Anything
  }

  /** Whether a condition holds for each number below a count. A loop, because this runs for each stored value. */
  private def all(count: Int)(holds: Int => Boolean): Boolean = {
    var i = 0
    while (i < count && holds(i)) i += 1
    i == count
  }

  private def array(element: DataType): Part = {
    val isFixed = UnsafeRow.isFixedLength(element)
    val width   = if (isFixed) math.min(8, math.max(1, element.defaultSize)) else 8
    val inner   = if (isFixed) Anything else part(element)
    (base, at, size) =>
      size >= 8 && {
        val count  = Platform.getLong(base, at)
        val header = 8 + ((count + 63) / 64) * 8
        count >= 0 && count <= size && header + count * width <= size && (isFixed || all(count.toInt) { i =>
          (Platform.getLong(base, at + 8 + (i >> 6) * 8L) & (1L << (i & 63))) != 0 || {
            val place        = Platform.getLong(base, at + header + i * 8L)
            val (from, wide) = ((place >>> 32).toInt, place.toInt)
            from >= 0 && wide >= 0 && from.toLong + wide <= size && inner(base, at + from, wide)
          }
        })
      }
  }
}
