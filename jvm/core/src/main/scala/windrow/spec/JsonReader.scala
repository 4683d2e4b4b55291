package windrow

import com.fasterxml.jackson.databind.JsonNode
import java.util.Locale
import scala.jdk.CollectionConverters._

/** Reads values from JSON and collects all problems.
  *
  * @param timeUnit
  *   unit of durations that are plain numbers: "us", "ms" or "s"
  */
private[windrow] final class JsonReader(timeUnit: String) {
  private val found = Seq.newBuilder[SpecProblem]

  def problems: Seq[SpecProblem] = found.result()

  def refuse[T](condition: String, parameters: (String, Any)*): Option[T] =
    refuse(SpecProblem(condition, parameters: _*))

  def refuse[T](problem: SpecProblem): Option[T] = {
    found += problem
    None
  }

  def add(more: Seq[SpecProblem]): Unit = { found ++= more; () }

  private val unit: Long = JsonReader.UnitMicros.get(timeUnit).orElse(
    refuse[Long](
      "UNIT_UNKNOWN",
      "value"   -> timeUnit,
      "allowed" -> JsonReader.UnitMicros.keys.mkString(", "))).getOrElse(1L)

  def known(node: JsonNode, what: String, names: Set[String]): Unit =
    node.fieldNames.asScala.filterNot(names).foreach(name =>
      refuse("FIELD_UNKNOWN.NAME", "name" -> name, "object" -> what, "allowed" -> names.toSeq.sorted.mkString(", ")))

  /** The field, or None if it is absent or null. */
  def child(node: JsonNode, name: String): Option[JsonNode] = Option(node.get(name)).filterNot(_.isNull)

  def span(node: JsonNode, name: String): Option[TimeSpan] = child(node, name).flatMap {
    case number if number.isIntegralNumber =>
      TimeSpan.of(BigInt(number.bigIntegerValue) * unit, name).fold(refuse(_), span => Some(span))
    case text if text.isTextual =>
      TimeSpan.parse(text.asText).fold(problem => refuse(problem.in(name)), span => Some(span))
    case other =>
      refuse("DURATION_NOT_UNDERSTOOD.NUMBER", "name" -> name, "value" -> other, "unit" -> timeUnit)
  }

  def count(node: JsonNode, name: String): Option[Long] = child(node, name).flatMap { number =>
    if (number.isIntegralNumber && number.canConvertToLong) Some(number.asLong)
    else refuse("COUNT_NOT_UNDERSTOOD.NUMBER", "name" -> name, "value" -> number)
  }

  def flag(node: JsonNode, name: String): Option[Boolean] = child(node, name).flatMap { value =>
    if (value.isBoolean) Some(value.asBoolean)
    else refuse("FLAG_NOT_UNDERSTOOD", "name" -> name, "value" -> value)
  }

  def name(node: JsonNode, name: String): Option[String] = child(node, name).flatMap { value =>
    if (value.isTextual) Some(value.asText) else refuse("NAME_NOT_UNDERSTOOD", "name" -> name, "value" -> value)
  }

  /** A text, or a list of texts. */
  def names(node: JsonNode, name: String): Option[Seq[String]] = child(node, name).flatMap { value =>
    val all = if (value.isArray) value.elements.asScala.toSeq else Seq(value)
    if (all.forall(_.isTextual)) Some(all.map(_.asText))
    else refuse("NAME_NOT_UNDERSTOOD", "name" -> name, "value" -> value)
  }

  /** Reads one of some values, written as its text in lower case. */
  def word[T](node: JsonNode, name: String, all: Seq[T], condition: String = "VALUE_UNKNOWN"): Option[T] =
    child(node, name).flatMap(value =>
      all.find(JsonReader.word(_) == value.asText).orElse(
        refuse(SpecProblem.unknown(name, value.asText, all, condition))))
}

private[windrow] object JsonReader {

  /** The texts in a list. */
  def texts(node: JsonNode): Seq[String] = node.elements.asScala.map(_.asText).toSeq

  /** A value's text in lower case, independent of the machine's locale. */
  def word(value: Any): String = value.toString.toLowerCase(Locale.ROOT)

  val UnitMicros: Map[String, Long] = Map("us" -> 1L, "ms" -> 1000L, "s" -> 1000000L)
}
