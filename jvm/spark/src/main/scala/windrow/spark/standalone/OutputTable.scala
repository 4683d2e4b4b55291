package windrow.spark.standalone

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.ArrowTables
import org.apache.spark.unsafe.types.UTF8String

/** Converts values to a table with named columns.
  *
  * @param values
  *   types of the values of a row, in order
  * @param columns
  *   over those values by position
  */
final class OutputTable(values: Seq[Attribute], columns: Seq[NamedExpression]) {
  private lazy val project = UnsafeProjection.create(columns, values) // most tables stay empty

  val schema: StructType = StructType(columns.map(column =>
    StructField(column.name, column.dataType, column.nullable)))

  /** Writes the rows, each an array of Catalyst values. */
  def write(rows: Iterator[Array[Any]]): Array[Byte] =
    ArrowTables.write(schema, rows.map(row => project(new GenericInternalRow(row))))
}

object OutputTable {

  def value(name: String, dataType: DataType, nullable: Boolean = true): AttributeReference =
    AttributeReference(name, dataType, nullable)()

  def text(word: Any): UTF8String = UTF8String.fromString(word.toString)

  def array(rows: Iterable[InternalRow]): GenericArrayData = new GenericArrayData(rows.toArray[Any])

  def valuesOfKey(input: Input): Seq[AttributeReference] = input.key.map { case (name, key) =>
    value(name, key.dataType)
  }

  def ofKey(input: Input, key: UnsafeRow): Seq[Any] =
    input.key.indices.map(i => key.get(i, input.key(i)._2.dataType))
}
