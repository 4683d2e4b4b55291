package windrow

/** `[first, last + gap)`: messages of a key that are at most `gap` apart share a session. For example, with a gap of 5
  * minutes, messages of 12:00 and 12:05 make `[12:00, 12:10)`. A message of 12:11 starts another session, and a later
  * one of 12:08 merges both into `[12:00, 12:16)`.
  *
  * @param gap
  *   None if every message has its own gap
  * @param endsWith
  *   a boolean SQL expression; a message for which it is true ends its session
  * @param maxLength
  *   the greatest length of a session: a message at or after `first + maxLength` begins another one
  * @param split
  *   SQL expressions; a message with other values than the one before it begins another session
  */
final case class Session(
    gap: Option[TimeSpan],
    endsWith: Option[String],
    maxLength: Option[TimeSpan],
    split: Seq[String]) extends WindowKind {
  def problems: Seq[SpecProblem] = gap.toSeq.flatMap(NumberCheck.positive("gap", _)) ++
    maxLength.toSeq.flatMap(NumberCheck.positive("maxLength", _)) ++
    (endsWith.map("endsWith" -> _) ++ split.map("split" -> _)).collect {
      case (name, text) if text.isBlank => SpecProblem("SESSION_CUT.TEXT", "name" -> name, "value" -> text)
    }

  private[windrow] def form: WindowForm = Session.Form

  private[windrow] def fields: Seq[(String, Any)] =
    Seq("gap" -> gap) ++ endsWith.map("ends_with" -> _) ++ maxLength.map("max_length" -> _) ++
      Option.when(split.nonEmpty)("split" -> split)

  private[windrow] def inWords: String =
    s"For each key, from the first row to ${gap.fold("the row's own gap")(_.toString)} after the last row. " +
      "Rows at most that far apart share a session; a row between two sessions merges them." +
      endsWith.fold("")(text => s" A row with $text ends its session.") +
      maxLength.fold("")(length => s" No session is longer than $length.") +
      (if (split.isEmpty) ""
       else s" A row with another ${split.mkString(", ")} than the row before it begins a session.")

  private def isCut: Boolean = endsWith.isDefined || maxLength.isDefined || split.nonEmpty

  @transient private[windrow] lazy val family: WindowFamily =
    if (isCut) WindowFamily.CutSessions(gap, maxLength, endsWith, split) else WindowFamily.Sessions(gap)

  private[windrow] override def longest: Option[TimeSpan] = maxLength

  private[windrow] override def completesAs: String =
    if (isCut) "reaches the end of the session" else "reaches the last row's time + gap"

  override def toString: String = {
    val every = gap.fold("gap of each row")(span => s"'$span'")
    val more = endsWith.map(text => s"endsWith=${Session.quoted(text)}") ++
      maxLength.map(length => s"maxLength='$length'") ++
      (split match {
        case Seq()     => None
        case Seq(text) => Some(s"split=${Session.quoted(text)}")
        case several   => Some(several.map(Session.quoted).mkString("split=[", ", ", "]"))
      })
    (Seq(every) ++ more).mkString("Session(", ", ", ")")
  }
}

object Session {

  /** Sessions, which something other than the gap can end, too: `Session("30 minutes", endsWith = Some("event =
    * 'logout'"), maxLength = Some("12 hours"), split = Seq("campaign"))`.
    */
  def apply(
      gap: TimeSpan,
      endsWith: Option[String] = None,
      maxLength: Option[TimeSpan] = None,
      split: Seq[String] = Nil): Session = new Session(Some(gap), endsWith, maxLength, split)

  /** Sessions that only the gap ends.
    *
    * @param gap
    *   None if every message has its own gap
    */
  def apply(gap: Option[TimeSpan]): Session = new Session(gap, None, None, Nil)

  /** Sessions in which every message has its own gap. */
  val OfMessage: Session = Session(None)

  /** A text as Python prints it. */
  private def quoted(text: String): String = {
    val plain = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    if (!plain.contains("'")) s"'$plain'"
    else if (!plain.contains("\"")) s"\"$plain\""
    else s"'${plain.replace("'", "\\'")}'"
  }

  private[windrow] val Form: WindowForm = WindowForm(
    "session",
    "windrow_session",
    "rows of a key without a gap between them",
    "gap",
    "ends_with",
    "max_length",
    "split")(fields =>
    Some(new Session(
      fields.spanIfSet("gap"),
      fields.nameIfSet("ends_with"),
      fields.spanIfSet("max_length"),
      fields.namesIfSet("split").getOrElse(Nil))))
}
