package windrow.spark.jdbc

import java.util.Locale.ROOT
import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.functions.sha2
import org.apache.spark.sql.types._
import windrow.SpecProblem
import windrow.spark.output.ExactJson
import windrow.spark.output.LastPanes

/** Rows as databases have them: `window` and `pane` become a column for each of their fields, `window_start`, `pane_index`;
  * other structs, arrays and maps are JSON.
  */
private[spark] object JdbcColumns {
  private val Open = Set("window", "pane")

  /** Identifies the row that another replaces, exactly: databases compare texts without case or blanks, and cut times. */
  val Key = "__windrow_key"

  /** Orders the windows that compete for a row, see [[LastPanes.place]]. */
  val Place = "__windrow_place"

  /** The rows of a batch that go into a table, of which the last column is not stored if it is [[LastPanes.Withdrawn]].
    *
    * @param on
    *   columns by which a row takes the place of another; none: rows are added, and have no [[Key]]
    */
  def flat(data: DataFrame, on: Seq[String]): DataFrame = {
    val competes = on.nonEmpty && !LastPanes.isOfOneWindow(data.schema, on)
    val held =
      if (competes) LastPanes.ofNewest(data, on) else if (on.nonEmpty) LastPanes.ofEach(data, on) else data
    val key   = Option.when(on.nonEmpty)(sha2(ExactJson.of(data.schema, on), 256).as(Key))
    val place = if (competes) Seq(LastPanes.place(data.schema).as(Place), col(LastPanes.Withdrawn)) else Nil
    held.select(data.schema.fields.toSeq.flatMap(columns) ++ key ++ place: _*)
  }

  /** Names in flat rows of columns of the others. */
  def of(schema: StructType, names: Seq[String]): Seq[String] =
    names.flatMap(name => fields(schema(name)).map(_._1))

  /** Columns that would have the same name in a database, which may ignore the case of letters. */
  def clashes(kind: String, schema: StructType): Seq[SpecProblem] =
    schema.fields.toSeq.flatMap(field => fields(field).map(_._1 -> field.name)).groupBy(_._1.toLowerCase(ROOT)).toSeq
      .filter(_._2.size > 1).sortBy(_._1).map { case (_, same) =>
        val (own, others) = same.partition { case (_, of) => Open(of) }
        val (name, _)     = others.headOption.getOrElse(same.head)
        SpecProblem("NAME_TAKEN.JDBC", "rows" -> kind, "name" -> name, "other" -> (own ++ others.drop(1)).head._1)
      }

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
