package windrow

/** One thing that is wrong with a spec.
  *
  * @param code
  *   stable name in capitals, for example `LATENESS_NOT_STATED`
  * @param text
  *   a full sentence that names the field, the value and what is allowed
  */
final case class SpecProblem(code: String, text: String) {
  override def toString: String = s"[$code] $text"

  /** The same, with where it is in front. */
  private[windrow] def in(where: String): SpecProblem = copy(text = s"$where: $text")
}

object SpecProblem {

  /** @param condition
    *   see [[ErrorConditions]]
    * @param parameters
    *   a value for each that its sentence names
    */
  private[windrow] def apply(condition: String, parameters: (String, Any)*): SpecProblem =
    SpecProblem(ErrorConditions.codeOf(condition), ErrorConditions.text(condition, parameters: _*))
}

/** A spec that cannot be used; the message holds every problem found in it. */
final class SpecError private (val problems: Seq[SpecProblem], message: String)
    extends IllegalArgumentException(message)

object SpecError {

  /** @param subject
    *   what was checked, as its call: `Tumbling('1 minute')`
    */
  def apply(subject: String, problems: Seq[SpecProblem]): SpecError = problems match {
    case Seq(SpecProblem(code, text)) => new SpecError(problems, s"[$code] $subject: $text")
    case many => new SpecError(many, s"${many.size} problems in $subject: ${many.mkString(" ")}")
  }
}
