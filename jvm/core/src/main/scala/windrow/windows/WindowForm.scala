package windrow

import com.fasterxml.jackson.databind.JsonNode

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

/** The fields of a window in JSON. What is asked for and missing is noted as a problem. */
private[windrow] final class WindowFields(node: JsonNode, val reader: JsonReader) {
  def span(name: String): Option[TimeSpan]             = reader.need(node, name, "a duration")(reader.span)
  def count(name: String): Option[Long]                = reader.need(node, name, "a whole number")(reader.count)
  def spanIfSaid(name: String): Option[TimeSpan]       = reader.span(node, name)
  def countIfSaid(name: String): Option[Long]          = reader.count(node, name)
  def nameIfSaid(name: String): Option[String]         = reader.name(node, name)
  def isSaid(name: String): Boolean                    = reader.child(node, name).isDefined
  def text(name: String, what: String): Option[String] = reader.need(node, name, what)(reader.child).map(_.asText)

  /** One of some words. */
  def word[T](name: String, what: String, code: String, all: Seq[T]): Option[T] =
    reader.need(node, name, what)(reader.word(_, _, code, all))

  /** A number of positions, and one window every so many: as many, unless that is said. */
  def steps: Option[(Long, Long)] = {
    val (n, step) = (count("n"), countIfSaid("step"))
    n.map(n => (n, step.getOrElse(n)))
  }
}
