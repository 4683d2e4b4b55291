package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.col
import scala.language.implicitConversions

/** A column: its name, or an expression. */
final case class Field(column: Column)

object Field {
  implicit def ofName(name: String): Field     = Field(column(name))
  implicit def ofColumn(column: Column): Field = Field(column)

  implicit def stated(name: String): Option[Field]         = Some(Field(column(name)))
  implicit def statedColumn(column: Column): Option[Field] = Some(Field(column))

  /** A star is a name here: it stands for one column, not for all. */
  private def column(name: String): Column =
    if (name == "*" || name.endsWith(".*")) col(s"${name.dropRight(1)}`*`") else col(name)
}

/** The columns that identify a row, so that Windrow drops duplicates. */
final case class RowId(source: Field, partition: Field, offset: Field)

object RowId {
  val kafka: RowId = RowId("topic", "partition", "offset")

  implicit def stated(rowId: RowId): Option[RowId] = Some(rowId)
}
