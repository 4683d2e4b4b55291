package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import scala.jdk.CollectionConverters._

/** Reads fields of the objects of a transcript. Any fault is a [[TranscriptError]]. */
private[windrow] object TranscriptFields {
  def fail(text: String): Nothing = throw new TranscriptError(text)

  def known(node: JsonNode, where: String, names: String*): Unit =
    node.fieldNames.asScala.find(!names.contains(_)).foreach(name => fail(s"$where has the unknown field '$name'"))

  def child(node: JsonNode, name: String): Option[JsonNode] = Option(node.get(name)).filterNot(_.isNull)

  def items(node: JsonNode, name: String): Seq[JsonNode] =
    child(node, name).fold(Seq.empty[JsonNode])(_.elements.asScala.toSeq)

  /** Returns None if the field is missing, and an empty list if it is null or empty. */
  def list[T](node: JsonNode, name: String)(read: JsonNode => T): Option[Seq[T]] =
    Option.when(node.has(name))(items(node, name).map(read))

  def fields[T](node: JsonNode)(read: JsonNode => T): Map[String, T] =
    node.properties.asScala.map(entry => entry.getKey -> read(entry.getValue)).toMap

  def need[T](value: Option[T], name: String): T = value.getOrElse(fail(s"$name is missing"))

  def long(node: JsonNode, name: String): Option[Long] = child(node, name).map { number =>
    if (number.isIntegralNumber && number.canConvertToLong) number.asLong
    else fail(s"$name is $number, not an integer")
  }

  def flag(node: JsonNode, name: String): Boolean = {
    val value = need(child(node, name), name)
    if (value.isBoolean) value.asBoolean else fail(s"$name is $value, neither true nor false")
  }

  /** Returns the element whose text is the value of the field. */
  def word[T](all: Seq[T], node: JsonNode, name: String): T = {
    val text = need(child(node, name), name).asText
    all.find(_.toString == text).getOrElse(fail(s"$name '$text' is unknown"))
  }

  /** Reads the key. A missing key is the null key. */
  def key(node: JsonNode): Scalar = Option(node.get("key")).fold[Scalar](Value.Null)(key =>
    Scalar.fromJson(key).getOrElse(fail(s"key is $key, not a string, an integer, or null")))

  def scalar(node: JsonNode, name: String): Scalar = {
    val value = need(Option(node.get(name)), name)
    Scalar.fromJson(value).getOrElse(fail(s"$name is $value, not a string, an integer, or null"))
  }

  def value(node: JsonNode): Value = Value.fromJson(node).getOrElse(fail(s"value $node is not understood"))
}
