package windrow

/** `[first, last]` windows of offsets: a session of a key ends when more than `gap` rows of the partition pass without
  * the key.
  */
final case class OffsetSession(gap: Long) extends TupleWindows {
  def problems: Seq[SpecProblem] =
    Option.when(gap < 0)(SpecProblem("GAP_NEGATIVE", "gap" -> gap)).toSeq

  private[windrow] def form: WindowForm           = OffsetSession.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("gap" -> gap)
  private[windrow] def inWords: String =
    "For each key and source partition, from the offset of the first row to that of the last row before more than " +
      s"$gap offsets pass without the key."
  @transient private[windrow] lazy val family: WindowFamily = WindowFamily.OffsetSessions(gap)
  private[windrow] override def completedBy: Option[String] =
    Some(s"more than $gap offsets have passed without the key")
  override def toString: String = s"OffsetSession(gap=$gap)"
}

object OffsetSession {
  private[windrow] val Form: WindowForm = WindowForm(
    "offset_session",
    "windrow_offset_session",
    "rows of a key whose offsets are at most n apart",
    "gap") { fields =>
    if (fields.isSet("gap")) fields.countIfSet("gap").map(OffsetSession(_)) else fields.refuse("GAP_NOT_STATED.OFFSETS")
  }
}
