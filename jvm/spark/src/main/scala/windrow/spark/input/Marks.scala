package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.{Column, DataFrame}
import windrow.{SpecError, SpecProblem}

/** Columns that builders add to those of the user, with values that Windrow needs of each row. Metadata identifies
  * them, because a user may choose any name. Names with their prefix are rejected.
  */
private[spark] object Marks {

  /** The prefix of Windrow's own names, in upper or lower case, because case sensitivity is a setting of the session.
    */
  val Prefix = "__windrow_"

  /** The metadata key of marked columns in an aggregation. */
  private val Key = "windrow.mark"

  private val metadata = new MetadataBuilder().putBoolean(Key, true).build()

  /** Marks a column of an aggregation that is not a result. */
  def marked(column: Column, name: String): Column = column.as(Prefix + name, metadata)

  /** Adds marked columns to a table.
    *
    * @param subject
    *   the name of the table in error messages
    * @throws SpecError
    *   if a column of the table has a reserved name
    */
  def beside(table: DataFrame, subject: String, said: Seq[(String, Column)]): DataFrame = {
    val found = reserved(table.columns.toSeq)
    if (found.nonEmpty) throw SpecError(subject, found)
    table.select(col("*") +: said.map { case (name, column) => column.as(Prefix + name) }: _*)
  }

  def isMark(column: NamedExpression): Boolean = column.name.startsWith(Prefix) && column.metadata.contains(Key)

  /** Returns problems of user names that start with the reserved prefix. */
  def reserved(names: Seq[String]): Seq[SpecProblem] =
    names.filter(_.regionMatches(true, 0, Prefix, 0, Prefix.length)).distinct.map(name =>
      SpecProblem("NAME_TAKEN.RESERVED", "name" -> name, "reserved" -> Prefix))
}
