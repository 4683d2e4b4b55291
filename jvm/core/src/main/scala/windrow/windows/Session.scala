package windrow

/** `[first, last + gap)`: messages of a key that are at most `gap` apart share a session. For example, with a gap of 5
  * minutes, messages of 12:00 and 12:05 make `[12:00, 12:10)`. A message of 12:11 starts another session, and a later
  * one of 12:08 merges both into `[12:00, 12:16)`.
  *
  * @param gap
  *   None if every message has its own gap
  */
final case class Session(gap: Option[TimeSpan]) extends WindowKind {
  def problems: Seq[SpecProblem] = gap.toSeq.flatMap(NumberCheck.positive("gap", _))

  private[windrow] def form: WindowForm           = Session.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("gap" -> gap)
  private[windrow] def inWords: String =
    s"For each key, from the first row to ${gap.fold("the row's own gap")(_.toString)} after the last row. " +
      "Rows at most that far apart share a session; a row between two sessions merges them."
  @transient private[windrow] lazy val family: WindowFamily = WindowFamily.Sessions(gap)
  private[windrow] override def completesAs: String         = "reaches the last row's time + gap"
  override def toString: String = gap.fold("Session(gap of each row)")(span => s"Session('$span')")
}

object Session {
  def apply(gap: TimeSpan): Session = new Session(Some(gap))

  /** Sessions in which every message has its own gap. */
  val OfMessage: Session = new Session(None)

  private[windrow] val Form: WindowForm =
    WindowForm("session", "windrow_session", "rows of a key without a gap between them", "gap")(fields =>
      Some(new Session(fields.spanIfSet("gap"))))
}
