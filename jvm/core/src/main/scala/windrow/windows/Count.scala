package windrow

/** `[first, last]` windows of `n` messages of a key, one every `step`, by sequence number 0, 1, 2, … in order of
  * acceptance. With 3 messages every 2: the messages 0, 1, 2, then 2, 3, 4.
  */
final case class Count(n: Long, step: Long) extends TupleWindows {
  def problems: Seq[SpecProblem] = NumberCheck.atLeastOne("n", n, "step", step)

  private[windrow] def form: WindowForm           = Count.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("n" -> n, "step" -> step)
  private[windrow] def inWords: String = TupleWindows.numbered(
    "For each key, over its rows numbered 0, 1, 2, … in order of acceptance",
    n,
    step)
  @transient private[windrow] lazy val family: WindowFamily = WindowFamily.Numbered(n, step, RowValue.RowCount)
  private[windrow] override def completedBy: Option[String] = TupleWindows.LastIsIn
  override def toString: String                             = TupleWindows.shown("Count", n, step)
}

object Count {
  def apply(n: Long): Count = Count(n, n)

  private[windrow] val Form: WindowForm =
    TupleWindows.form("count", "windrow_count", "every n rows of a key")(Count(_, _))
}
