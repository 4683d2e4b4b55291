package windrow

/** `[first, last]` windows of `n` offsets of a source partition, one every `step`, from its start offset on. With 100
  * offsets: the offsets 0 to 99, whatever the keys of their messages, then 100 to 199.
  */
final case class OffsetRange(n: Long, step: Long) extends TupleWindows {
  def problems: Seq[SpecProblem] = NumberCheck.atLeastOne("n", n, "step", step)

  private[windrow] def form: WindowForm           = OffsetRange.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("n" -> n, "step" -> step)
  private[windrow] def inWords: String =
    TupleWindows.numbered("For each source partition, over its offsets from the start offset", n, step)
  @transient private[windrow] lazy val family: WindowFamily = WindowFamily.OffsetGrid(n, step)
  private[windrow] override def completedBy: Option[String] = TupleWindows.LastIsIn
  override def toString: String                             = TupleWindows.shown("OffsetRange", n, step)
}

object OffsetRange {
  def apply(n: Long): OffsetRange = OffsetRange(n, n)

  private[windrow] val Form: WindowForm =
    TupleWindows.form(
      "offset_range",
      "windrow_offset_range",
      "every n offsets of a source partition")(OffsetRange(_, _))
}
