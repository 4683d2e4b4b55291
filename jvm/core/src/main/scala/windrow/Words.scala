package windrow

/** Reads texts that replace constants, as in SQL. */
private[windrow] object Words {

  /** Returns the value with a text, in upper or lower case. */
  def read[T](name: String, text: String, all: Seq[T]): T =
    all.find(_.toString.equalsIgnoreCase(text)).getOrElse(throw unknown(name, text, all))

  /** The error for a text that is not one of the allowed values. */
  def unknown(name: String, text: String, all: Seq[Any]): SpecError =
    SpecError(s"$name=\"$text\"", Seq(SpecProblem.unknown(name, text, all)))
}
