package windrow

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import scala.jdk.CollectionConverters._

/** Reads and writes the field `gap_values` of a spec. */
private[windrow] object GapValuesJson {
  private val Name = "gap_values"

  def read(node: ObjectNode, reader: JsonReader): Option[GapValues] = reader.child(node, Name).flatMap { stated =>
    val methods = stated.path("methods")
    if (!methods.isObject) reader.refuse(GapMethod.notUnderstood(Name, stated))
    else {
      reader.known(stated, Name, Set("methods", "at_most"))
      val read = methods.properties.asScala.toVector.flatMap { entry =>
        GapMethod.read(Name, plain(entry.getValue)).fold(reader.refuse[GapMethod](_), Some(_)).map(entry.getKey -> _)
      }
      Some(GapValues(read, reader.span(stated, "at_most")))
    }
  }

  private def plain(value: JsonNode): Any =
    if (value.isTextual) value.asText
    else if (value.isBoolean) value.asBoolean
    else if (value.isIntegralNumber && value.canConvertToLong) value.asLong
    else if (value.isNumber) value.asDouble
    else value

  def write(values: GapValues, node: ObjectNode): Unit = {
    val methods = node.putObject("methods")
    values.methods.foreach {
      case (column, GapMethod.Value(value: Long))    => methods.put(column, value)
      case (column, GapMethod.Value(value: Double))  => methods.put(column, value)
      case (column, GapMethod.Value(value: Boolean)) => methods.put(column, value)
      case (column, method)                          => methods.put(column, method.toString)
    }
    values.atMost.foreach(span => node.put("at_most", span.micros))
  }
}
