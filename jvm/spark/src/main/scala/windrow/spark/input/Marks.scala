package windrow.spark.input

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.MetadataBuilder
import windrow.SpecError
import windrow.SpecProblem

/** What builders say of each message beside the user's own columns. A name does not make a column one of these: users may
  * call theirs anything, so it is its metadata that says so, and names that begin alike are refused.
  */
private[spark] object Marks {

  /** What begins so is windrow's own, in any case: whether that counts is the session's to say. */
  val Prefix = "__windrow_"

  /** In the metadata of those in an aggregation. */
  private val Key = "windrow.mark"

  private val metadata = new MetadataBuilder().putBoolean(Key, true).build()

  /** A column of an aggregation that is no result. */
  def marked(column: Column, name: String): Column = column.as(Prefix + name, metadata)

  /** A table with what is said of each of its rows.
    *
    * @param subject
    *   what a message about it calls it
    * @throws SpecError
    *   if a column of the table is called as windrow's own are
    */
  def beside(table: DataFrame, subject: String, said: Seq[(String, Column)]): DataFrame = {
    val found = reserved(table.columns.toSeq)
    if (found.nonEmpty) throw SpecError(subject, found)
    table.select(col("*") +: said.map { case (name, column) => column.as(Prefix + name) }: _*)
  }

  def isMark(column: NamedExpression): Boolean = column.name.startsWith(Prefix) && column.metadata.contains(Key)

  /** What is wrong with names of users that look like windrow's own. */
  def reserved(names: Seq[String]): Seq[SpecProblem] =
    names.filter(_.regionMatches(true, 0, Prefix, 0, Prefix.length)).distinct.map(name =>
      SpecProblem("NAME_TAKEN.RESERVED", "name" -> name, "reserved" -> Prefix))
}
