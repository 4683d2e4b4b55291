package windrow.spark.input

import org.apache.spark.sql.catalyst.analysis.Resolver
import windrow.SpecProblem

/** Names that would stand for more than one column, compared as the session does: a sink would refuse them in the first
  * batch.
  */
private[spark] object ColumnNames {

  /** @param rows
    *   what the columns are of
    * @param remedy
    *   what the user can do
    */
  def twice(resolver: Resolver, rows: String, names: Seq[String], remedy: String): Seq[SpecProblem] =
    names.indices.filter(i => names.take(i).exists(resolver(_, names(i)))).map(names).distinct.map(name =>
      SpecProblem("NAME_TWICE.ROWS", "rows" -> rows, "name" -> name, "remedy" -> remedy))

  /** @param own
    *   names that windrow gives
    */
  def taken(resolver: Resolver, names: Seq[String], own: Seq[String]): Seq[SpecProblem] =
    names.filter(name => own.exists(resolver(_, name))).distinct.map(name =>
      SpecProblem("NAME_TAKEN.PANE", "name" -> name))
}
