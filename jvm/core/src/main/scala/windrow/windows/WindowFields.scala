package windrow

/** The fields of a window, in JSON or in SQL. A required field that is missing is recorded as a problem. */
private[windrow] trait WindowFields {
  def isSet(name: String): Boolean
  def spanIfSet(name: String): Option[TimeSpan]
  def countIfSet(name: String): Option[Long]
  def nameIfSet(name: String): Option[String]

  /** Reads a name, or a list of names. */
  def namesIfSet(name: String): Option[Seq[String]]

  /** Reads the fields of several windows by name, in order. */
  def windowsIfSet(name: String): Option[Seq[(String, WindowFields)]]

  /** Records a problem for each field of another name.
    *
    * @param kind
    *   the kind of windows that these fields describe
    * @param inJson
    *   the names in JSON, without `kind`
    * @param inSql
    *   the names in SQL, without `kind`
    */
  def onlyOf(kind: String, inJson: Seq[String], inSql: Seq[String]): Unit

  /** Reads one of some values, written as its text in lower case.
    *
    * @param condition
    *   error condition for any other text
    */
  def wordIfSet[T](name: String, all: Seq[T], condition: String = "VALUE_UNKNOWN"): Option[T]

  /** Records a problem. */
  def refuse[T](problem: SpecProblem): Option[T]

  final def refuse[T](condition: String, parameters: (String, Any)*): Option[T] =
    refuse(SpecProblem(condition, parameters: _*))

  final def span(name: String): Option[TimeSpan]             = need(name, "a duration")(spanIfSet)
  final def count(name: String): Option[Long]                = need(name, "a whole number")(countIfSet)
  final def text(name: String, what: String): Option[String] = need(name, what)(nameIfSet)

  final def word[T](name: String, what: String, all: Seq[T], condition: String): Option[T] =
    need(name, what)(wordIfSet(_, all, condition))

  /** A number of positions and the step between windows, which defaults to that number. */
  final def steps: Option[(Long, Long)] = {
    val (n, step) = (count("n"), countIfSet("step"))
    n.map(n => (n, step.getOrElse(n)))
  }

  private def need[T](name: String, what: String)(read: String => Option[T]): Option[T] =
    if (isSet(name)) read(name)
    else refuse("FIELD_NOT_STATED", "name" -> name, "expected" -> what)
}
