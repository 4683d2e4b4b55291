package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.col
import scala.language.implicitConversions

/** A column, given by its name or as an expression. Created implicitly from a `String` or a `Column`.
  *
  * @param column
  *   the column
  */
final case class Field(column: Column)

object Field {
  implicit def ofName(name: String): Field     = Field(column(name))
  implicit def ofColumn(column: Column): Field = Field(column)

  implicit def stated(name: String): Option[Field]         = Some(Field(column(name)))
  implicit def statedColumn(column: Column): Option[Field] = Some(Field(column))

  /** Returns the column with this name. A star is a literal part of the name and does not select all columns. */
  private def column(name: String): Column =
    if (name == "*" || name.endsWith(".*")) col(s"${name.dropRight(1)}`*`") else col(name)
}

/** The columns that identify a row, so that Windrow drops duplicates.
  *
  * @param source
  *   the source, for example the topic
  * @param partition
  *   the partition of the source
  * @param offset
  *   the offset in the partition
  */
final case class RowId(source: Field, partition: Field, offset: Field)

object RowId {

  /** The columns of Spark's Kafka source. */
  val kafka: RowId = RowId("topic", "partition", "offset")

  implicit def stated(rowId: RowId): Option[RowId] = Some(rowId)
}
