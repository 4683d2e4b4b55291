package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.JsonNodeFactory
import scala.jdk.CollectionConverters._

/** The result of an aggregate of a transcript. */
sealed trait Value {

  /** Compares integers exactly, floating point to 1e-9 (absolute below 1, relative above). */
  def isSameAs(that: Value): Boolean = (this, that) match {
    case (Value.Items(ours), Value.Items(theirs)) =>
      ours.size == theirs.size && ours.zip(theirs).forall { case (a, b) => a.isSameAs(b) }
    case (Value.Real(a), Value.Real(b))  => Value.isClose(a, b)
    case (Value.Real(a), Value.Whole(b)) => Value.isClose(a, b.toDouble)
    case (Value.Whole(a), Value.Real(b)) => Value.isClose(a.toDouble, b)
    case _                               => this == that
  }

  def toJson: JsonNode = this match {
    case Value.Null        => JsonNodeFactory.instance.nullNode
    case Value.Whole(long) => JsonNodeFactory.instance.numberNode(long)
    case Value.Text(text)  => JsonNodeFactory.instance.textNode(text)
    case Value.Real(real)  => JsonNodeFactory.instance.numberNode(real)
    case Value.Items(all)  => all.foldLeft(JsonNodeFactory.instance.arrayNode)((array, item) => array.add(item.toJson))
  }
}

/** The key of a message, where null is a key like any other, or its value. */
sealed trait Scalar extends Value

object Value {
  case object Null                           extends Scalar
  final case class Whole(value: Long)        extends Scalar
  final case class Text(value: String)       extends Scalar
  final case class Real(value: Double)       extends Value
  final case class Items(values: Seq[Value]) extends Value

  private def isClose(a: Double, b: Double): Boolean =
    a == b || math.abs(a - b) <= 1e-9 * math.max(1.0, math.max(math.abs(a), math.abs(b)))

  /** Returns None if transcripts do not support the value. */
  def fromJson(node: JsonNode): Option[Value] =
    if (node.isFloatingPointNumber) Some(Real(node.asDouble))
    else if (node.isArray) {
      val items = node.elements.asScala.map(fromJson).toSeq
      Option.when(items.forall(_.isDefined))(Items(items.flatten))
    } else Scalar.fromJson(node)
}

object Scalar {

  /** Null, then numbers, then texts. */
  implicit val Order: Ordering[Scalar] = Ordering.by {
    case Value.Null          => (0, 0L, "")
    case Value.Whole(number) => (1, number, "")
    case Value.Text(text)    => (2, 0L, text)
  }

  def apply(number: Long): Scalar = Value.Whole(number)
  def apply(text: String): Scalar = Value.Text(text)

  def fromJson(node: JsonNode): Option[Scalar] =
    if (node.isNull) Some(Value.Null)
    else if (node.isIntegralNumber && node.canConvertToLong) Some(Value.Whole(node.asLong))
    else if (node.isTextual) Some(Value.Text(node.asText))
    else None
}
