package windrow

/** A single window that contains all messages of a key; it needs an early trigger. */
case object Global extends WindowKind {
  def problems: Seq[SpecProblem] = Nil

  private[windrow] def form: WindowForm           = Form
  private[windrow] def fields: Seq[(String, Any)] = Nil
  private[windrow] def inWords: String      = "One window for each key, which contains all rows and never completes."
  private[windrow] def family: WindowFamily = WindowFamily.SingleWindow
  private[windrow] override def completedBy: Option[String] = Some("the input has ended")
  override def toString: String                             = "Global()"

  private[windrow] val Form: WindowForm =
    WindowForm("global", "windrow_global", "one window that contains all rows")(_ => Some(Global))
}
