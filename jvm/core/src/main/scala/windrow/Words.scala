package windrow

import java.util.Locale

/** Errors for texts that replace constants, as in SQL. */
private[windrow] object Words {

  /** The error for a text that is not one of the allowed values. */
  def unknown(condition: String, name: String, text: String, all: Seq[Any]): SpecError = SpecError(
    s"$name=\"$text\"",
    Seq(SpecProblem(
      condition,
      "name"    -> name,
      "value"   -> text,
      "allowed" -> all.map(_.toString.toLowerCase(Locale.ROOT)).mkString(", "))))
}
