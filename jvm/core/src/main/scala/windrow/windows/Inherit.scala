package windrow

/** The windows of the input, which are panes of another operator: panes are grouped by a new key and keep their windows
  * (SEMANTICS R55).
  *
  * @param column
  *   the column of the panes with their window
  */
final case class Inherit(column: String = "window") extends WindowKind {
  def problems: Seq[SpecProblem] = SpecProblem.when(column.isEmpty, "COLUMN_NOT_STATED.INHERIT")

  private[windrow] def form: WindowForm           = Inherit.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("column" -> column)
  private[windrow] def inWords: String =
    s"For each key, the windows of the input panes, from their column '$column'."
  @transient private[windrow] lazy val family: WindowFamily = WindowFamily.Inherited(column)
  private[windrow] override def completedBy: Option[String] =
    Some(s"its ON_TIME pane has arrived and the watermark $completesAs")
  override def toString: String = s"Inherit('$column')"
}

object Inherit {
  private val Described = "the windows of the panes of another operator"

  private[windrow] val Form: WindowForm = WindowForm("inherit", "windrow_inherit", Described, "column")(fields =>
    Some(fields.nameIfSet("column").fold(Inherit())(Inherit(_))))
}
