package windrow

import java.util.Locale

/** One problem of a spec.
  *
  * @param code
  *   stable name in capitals, for example `LATENESS_NOT_STATED`
  * @param text
  *   a full sentence with the field, the value and the allowed values
  */
final case class SpecProblem(code: String, text: String) {
  override def toString: String = s"[$code] $text"

  /** A copy whose text starts with the place of the problem. */
  private[windrow] def in(where: String): SpecProblem = copy(text = s"$where: $text")
}

object SpecProblem {

  /** Creates a problem from an error condition.
    *
    * @param condition
    *   see [[ErrorConditions]]
    * @param parameters
    *   a value for each parameter of its text
    */
  private[windrow] def apply(condition: String, parameters: (String, Any)*): SpecProblem =
    SpecProblem(ErrorConditions.codeOf(condition), ErrorConditions.text(condition, parameters: _*))

  /** The problem as a list, which is empty if it does not exist. */
  private[windrow] def when(exists: Boolean, condition: String, parameters: (String, Any)*): Seq[SpecProblem] =
    if (exists) Seq(SpecProblem(condition, parameters: _*)) else Nil

  /** The problem of a value that is not one of some words, which are shown in lower case. */
  private[windrow] def unknown(
      name: String,
      value: Any,
      allowed: Seq[Any],
      condition: String = "VALUE_UNKNOWN"): SpecProblem = SpecProblem(
    condition,
    "name"    -> name,
    "value"   -> value,
    "allowed" -> allowed.map(_.toString.toLowerCase(Locale.ROOT)).mkString(", "))
}

/** A spec that cannot be used. The message contains all of its problems. */
final class SpecError private (val problems: Seq[SpecProblem], message: String)
    extends IllegalArgumentException(message)

object SpecError {

  /** @param subject
    *   the checked object, as its call: `Tumbling('1 minute')`
    */
  def apply(subject: String, problems: Seq[SpecProblem]): SpecError = problems match {
    case Seq(SpecProblem(code, text)) => new SpecError(problems, s"[$code] $subject: $text")
    case many => new SpecError(many, s"${many.size} problems in $subject: ${many.mkString(" ")}")
  }
}
