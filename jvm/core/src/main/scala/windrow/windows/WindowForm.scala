package windrow

/** How a kind of windows is said: in JSON `{"kind": "tumbling", "size": 60000000}`, in SQL
  * `windrow_tumble(…, size => INTERVAL 1 MINUTE)`.
  *
  * @param name
  *   in JSON
  * @param fields
  *   in JSON, beside its name
  * @param function
  *   in SQL; None: another kind's function says it too
  * @param arguments
  *   of that function
  * @param read
  *   the kind that fields say, unchecked; None if something is wrong, which the reader has noted
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

/** What is said of a window, in JSON or in SQL. What is asked for and missing is noted as a problem. */
private[windrow] trait WindowFields {
  def isSaid(name: String): Boolean
  def spanIfSaid(name: String): Option[TimeSpan]
  def countIfSaid(name: String): Option[Long]
  def nameIfSaid(name: String): Option[String]

  /** One of some words, which are as their own text in small letters.
    *
    * @param condition
    *   of the problem that it is another
    */
  def wordIfSaid[T](name: String, condition: String, all: Seq[T]): Option[T]

  /** Notes a problem. */
  def refuse[T](problem: SpecProblem): Option[T]

  final def refuse[T](condition: String, parameters: (String, Any)*): Option[T] =
    refuse(SpecProblem(condition, parameters: _*))

  final def span(name: String): Option[TimeSpan]             = need(name, "a duration")(spanIfSaid)
  final def count(name: String): Option[Long]                = need(name, "a whole number")(countIfSaid)
  final def text(name: String, what: String): Option[String] = need(name, what)(nameIfSaid)

  final def word[T](name: String, what: String, condition: String, all: Seq[T]): Option[T] =
    need(name, what)(wordIfSaid(_, condition, all))

  /** A number of positions, and one window every so many: as many, unless that is said. */
  final def steps: Option[(Long, Long)] = {
    val (n, step) = (count("n"), countIfSaid("step"))
    n.map(n => (n, step.getOrElse(n)))
  }

  private def need[T](name: String, what: String)(read: String => Option[T]): Option[T] =
    if (isSaid(name)) read(name)
    else refuse("FIELD_NOT_STATED", "name" -> name, "expected" -> what)
}
