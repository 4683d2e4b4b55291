package windrow.spark.jdbc

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.functions.sha2
import org.apache.spark.sql.types._
import windrow.spark.output.ExactJson

/** Rows as databases have them: `window` and `pane` become a column for each of their fields, `window_start`, `pane_index`;
  * other structs, arrays and maps are JSON.
  */
private[jdbc] object JdbcColumns {
  private val Open = Set("window", "pane")

  /** Says by which row another is replaced, exactly: databases compare texts without case or blanks, and cut times. */
  val Key = "__windrow_key"

  /** @param on
    *   columns by which a row takes the place of another; none: rows are added, and have no [[Key]]
    */
  def flat(data: DataFrame, on: Seq[String]): DataFrame = {
    val key = Option.when(on.nonEmpty)(sha2(ExactJson.of(data.schema, on), 256).as(Key))
    data.select(data.schema.fields.toSeq.flatMap(columns) ++ key: _*)
  }

  /** Names in flat rows of columns of the others. */
  def of(schema: StructType, names: Seq[String]): Seq[String] =
    names.flatMap(name => fields(schema(name)).map(_._1))

  /** The column that says that a row is to go, if rows have it. */
  def hides(flat: StructType): Option[Int] =
    Option(flat.fieldNames.indexOf("pane_is_retraction")).filter(_ >= 0)

  private def columns(field: StructField): Seq[Column] = fields(field).map { case (name, column) => column.as(name) }

  private def fields(field: StructField): Seq[(String, Column)] = {
    val whole = quoteIdentifier(field.name)
    field.dataType match {
      case struct: StructType if Open(field.name) =>
        struct.fieldNames.toSeq.map(one => s"${field.name}_$one" -> col(s"$whole.${quoteIdentifier(one)}"))
      case _: StructType | _: ArrayType | _: MapType => Seq(field.name -> ExactJson.of(col(whole), field.dataType))
      case _                                         => Seq(field.name -> col(whole))
    }
  }
}
