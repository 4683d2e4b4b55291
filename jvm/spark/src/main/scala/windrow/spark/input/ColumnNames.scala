package windrow.spark.input

import org.apache.spark.sql.catalyst.analysis.Resolver
import windrow.SpecProblem

/** Names that would stand for more than one column, compared as the session does: a sink would refuse them in the first
  * batch.
  */
private[spark] object ColumnNames {

  /** What begins so is windrow's own. */
  private val Reserved = "__windrow_"

  /** @param rows
    *   what the columns are of
    * @param remedy
    *   what the user can do
    */
  def twice(resolver: Resolver, rows: String, names: Seq[String], remedy: String): Seq[SpecProblem] =
    names.indices.filter(i => names.take(i).exists(resolver(_, names(i)))).map(names).distinct.map(name =>
      SpecProblem("NAME_TWICE", s"$rows would have more than one column '$name'. $remedy"))

  /** @param own
    *   names that windrow gives
    */
  def taken(resolver: Resolver, names: Seq[String], own: Seq[String]): Seq[SpecProblem] =
    names.filter(name => own.exists(resolver(_, name))).distinct.map(name =>
      SpecProblem("NAME_TAKEN", s"a column is called '$name', which is a column of the panes. Give it an alias."))

  def reserved(names: Seq[String]): Seq[SpecProblem] = names.filter(_.startsWith(Reserved)).distinct.map(name =>
    SpecProblem("NAME_TAKEN", s"a column is called '$name'; what begins with $Reserved is windrow's own. Rename it."))
}
