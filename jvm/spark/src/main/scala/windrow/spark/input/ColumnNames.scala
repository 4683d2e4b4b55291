package windrow.spark.input

import org.apache.spark.sql.catalyst.analysis.Resolver
import windrow.SpecProblem

/** Finds names that several columns would share, compared as the session compares names. Without this check, a sink
  * would fail in the first micro-batch.
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
}
