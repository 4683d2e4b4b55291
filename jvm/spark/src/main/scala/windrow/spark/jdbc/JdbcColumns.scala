package windrow.spark.jdbc

import java.util.Locale.ROOT
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions.{col, sha2}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame}
import windrow.SpecProblem
import windrow.spark.output.{ExactJson, LastPanes}

/** Converts rows to the form in which databases store them: `window` and `pane` become one column for each of their
  * fields (`window_start`, `pane_index`); other structs, arrays and maps become JSON.
  */
private[spark] object JdbcColumns {
  private val Open = Set("window", "pane")

  /** Identifies exactly the row that another one replaces. Databases may ignore case or trailing blanks when they
    * compare strings, and truncate times.
    */
  val Key = "__windrow_key"

  /** Orders the windows that compete for a row; see [[LastPanes.place]]. */
  val Place = "__windrow_place"

  /** Returns the rows of a micro-batch for a table. If the last column is [[LastPanes.Withdrawn]], it is not stored.
    *
    * @param on
    *   columns that identify the row to replace; if empty, rows are appended and have no [[Key]]
    */
  def flat(data: DataFrame, on: Seq[String]): DataFrame = {
    val competes = on.nonEmpty && !LastPanes.isOfOneWindow(data.schema, on)
    val held =
      if (competes) LastPanes.ofNewest(data, on) else if (on.nonEmpty) LastPanes.ofEach(data, on) else data
    val key   = Option.when(on.nonEmpty)(sha2(ExactJson.of(data.schema, on), 256).as(Key))
    val place = if (competes) Seq(LastPanes.place(data.schema).as(Place), col(LastPanes.Withdrawn)) else Nil
    held.select(data.schema.fields.toSeq.flatMap(columns) ++ key ++ place: _*)
  }

  /** Returns the names in flat rows of some columns. */
  def of(schema: StructType, names: Seq[String]): Seq[String] =
    names.flatMap(name => fields(schema(name)).map(_._1))

  /** Returns a problem for columns that would have the same name in a database, which may ignore case. */
  def clashes(kind: String, schema: StructType): Seq[SpecProblem] =
    schema.fields.toSeq.flatMap(field => fields(field).map(_._1 -> field.name)).groupBy(_._1.toLowerCase(ROOT)).toSeq
      .filter(_._2.size > 1).sortBy(_._1).map { case (_, same) =>
        val (own, others) = same.partition { case (_, of) => Open(of) }
        val (name, _)     = others.headOption.getOrElse(same.head)
        SpecProblem("NAME_TAKEN.JDBC", "rows" -> kind, "name" -> name, "other" -> (own ++ others.drop(1)).head._1)
      }

  /** The position of the column that marks a row for deletion, if there is one. */
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
