package windrow.spark.input

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.windrow.SparkInside
import windrow.SpecProblem

/** Finds columns by their names, and names that several columns would share, compared as the session compares names.
  * Without the second check, a sink would fail in the first micro-batch.
  */
private[spark] object ColumnNames {

  /** Returns the names that occur more than once.
    *
    * @param rows
    *   the kind of rows that have the columns
    * @param remedy
    *   what the user can do
    */
  def twice(resolver: Resolver, rows: String, names: Seq[String], remedy: String): Seq[SpecProblem] =
    names.indices.filter(i => names.take(i).exists(resolver(_, names(i)))).map(names).distinct.map(name =>
      SpecProblem("NAME_TWICE.ROWS", "rows" -> rows, "name" -> name, "remedy" -> remedy))

  /** Returns the names that Windrow itself uses.
    *
    * @param own
    *   names that Windrow assigns
    */
  def taken(resolver: Resolver, names: Seq[String], own: Seq[String]): Seq[SpecProblem] =
    names.filter(name => own.exists(resolver(_, name))).distinct.map(name =>
      SpecProblem("NAME_TAKEN.PANE", "name" -> name))

  /** Returns the column, or the field of a struct, that an argument names. */
  def column(
      session: SparkSession,
      table: LogicalPlan,
      argument: String,
      name: String): Either[SpecProblem, Expression] =
    SparkInside.column(session, table, name).toRight(missing(argument, name, table.output.map(_.name)))

  /** The problem of an argument that names a column that does not exist. */
  def missing(argument: String, name: String, columns: Seq[String]): SpecProblem = SpecProblem(
    "COLUMN_NOT_FOUND.ARGUMENT",
    "argument" -> argument,
    "name"     -> name,
    "columns"  -> columns.mkString(", "))
}
