package windrow

import java.util.Locale

/** Texts in the place of constants, as SQL takes them. */
private[windrow] object Words {

  /** The error that a text is none of those allowed. */
  def unknown(condition: String, name: String, text: String, all: Seq[Any]): SpecError = SpecError(
    s"$name=\"$text\"",
    Seq(SpecProblem(
      condition,
      "name"    -> name,
      "value"   -> text,
      "allowed" -> all.map(_.toString.toLowerCase(Locale.ROOT)).mkString(", "))))
}
