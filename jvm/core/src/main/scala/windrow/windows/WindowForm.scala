package windrow

/** The textual form of a kind of windows: in JSON `{"kind": "tumbling", "size": 60000000}`, in SQL `windrow_tumble(…,
  * size => INTERVAL 1 MINUTE)`.
  *
  * @param name
  *   name in JSON
  * @param fields
  *   fields in JSON, without its name
  * @param function
  *   function in SQL; None if another kind's function creates it, too
  * @param arguments
  *   arguments of that function
  * @param read
  *   creates the kind from its fields without checks; None if the reader has recorded a problem
  */
private[windrow] final case class WindowForm(
    name: String,
    fields: Seq[String],
    function: Option[String],
    arguments: Seq[String],
    read: WindowFields => Option[WindowKind])

private[windrow] object WindowForm {
  def apply(name: String, function: String, fields: String*)(read: WindowFields => Option[WindowKind]): WindowForm =
    WindowForm(name, fields, Some(function), fields, read)
}

/** The fields of a window, in JSON or in SQL. A required field that is missing is recorded as a problem. */
private[windrow] trait WindowFields {
  def isSaid(name: String): Boolean
  def spanIfSaid(name: String): Option[TimeSpan]
  def countIfSaid(name: String): Option[Long]
  def nameIfSaid(name: String): Option[String]

  /** Reads one of some values, written as its text in lower case.
    *
    * @param condition
    *   error condition for any other text
    */
  def wordIfSaid[T](name: String, condition: String, all: Seq[T]): Option[T]

  /** Records a problem. */
  def refuse[T](problem: SpecProblem): Option[T]

  final def refuse[T](condition: String, parameters: (String, Any)*): Option[T] =
    refuse(SpecProblem(condition, parameters: _*))

  final def span(name: String): Option[TimeSpan]             = need(name, "a duration")(spanIfSaid)
  final def count(name: String): Option[Long]                = need(name, "a whole number")(countIfSaid)
  final def text(name: String, what: String): Option[String] = need(name, what)(nameIfSaid)

  final def word[T](name: String, what: String, condition: String, all: Seq[T]): Option[T] =
    need(name, what)(wordIfSaid(_, condition, all))

  /** A number of positions and the step between windows, which defaults to that number. */
  final def steps: Option[(Long, Long)] = {
    val (n, step) = (count("n"), countIfSaid("step"))
    n.map(n => (n, step.getOrElse(n)))
  }

  private def need[T](name: String, what: String)(read: String => Option[T]): Option[T] =
    if (isSaid(name)) read(name)
    else refuse("FIELD_NOT_STATED", "name" -> name, "expected" -> what)
}
