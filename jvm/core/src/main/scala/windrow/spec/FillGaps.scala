package windrow

/** Converts between `fillGaps` as users set it (true, false, or a duration) and a time span. */
private[windrow] object FillGaps {

  def of(isOn: Boolean): TimeSpan = if (isOn) TimeSpan.Endless else TimeSpan.Zero

  /** @param text
    *   text of a duration
    */
  def parse(name: String, text: String): Either[SpecProblem, TimeSpan] = TimeSpan.parse(text).left.map {
    case tooLong if tooLong.code == "DURATION_TOO_LONG" => tooLong.in(name)
    case _                                              => notUnderstood(name, s"'$text'")
  }

  def notUnderstood(name: String, value: Any): SpecProblem =
    SpecProblem("FILL_GAPS_NOT_UNDERSTOOD", "name" -> name, "value" -> value)

  def shown(silence: TimeSpan): String = silence match {
    case TimeSpan.Zero    => "false"
    case TimeSpan.Endless => "true"
    case limited          => s"'$limited'"
  }
}
