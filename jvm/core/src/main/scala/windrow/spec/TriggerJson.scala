package windrow

import com.fasterxml.jackson.databind.node.{NullNode, TextNode}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import scala.jdk.CollectionConverters._

/** Reads and writes triggers as JSON: null, "each_batch", `{"every_messages": n}`, `{"every_time": t}` or a list of
  * these.
  */
private[windrow] object TriggerJson {
  private val mapper = new ObjectMapper()

  /** @param name
    *   name of the field, for errors
    */
  def read(node: JsonNode, name: String, reader: JsonReader): Option[PaneTrigger] =
    if (node.isNull) Some(Never)
    else if (node.isArray) {
      val all = node.elements.asScala.toSeq.map(read(_, name, reader))
      Option.when(all.forall(_.isDefined))(AnyOf(all.flatten))
    } else if (node.asText == "each_batch") Some(EachBatch)
    else if (node.isObject && node.size == 1 && node.path("every_messages").isIntegralNumber &&
      node.get("every_messages").canConvertToLong)
      node.get("every_messages").asLong match {
        case 1 => Some(EachMessage)
        case n => Some(Every(n))
      }
    else if (node.isObject && node.size == 1 && reader.child(node, "every_time").isDefined)
      reader.span(node, "every_time").map(EveryPeriod(_))
    else reader.refuse("TRIGGER_UNKNOWN.JSON", "name" -> name, "value" -> node)

  def write(trigger: PaneTrigger): JsonNode = trigger match {
    case Never               => NullNode.instance
    case EachBatch           => TextNode.valueOf("each_batch")
    case EachMessage         => mapper.createObjectNode().put("every_messages", 1L)
    case Every(n)            => mapper.createObjectNode().put("every_messages", n)
    case EveryPeriod(period) => mapper.createObjectNode().put("every_time", period.micros)
    case AnyOf(triggers) =>
      val all = mapper.createArrayNode()
      triggers.foreach(one => all.add(write(one)))
      all
  }
}
