package windrow.spark.query

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.types.{DataType, StructType}
import scala.jdk.CollectionConverters._
import windrow.{JoinSpec, OperatorJson}

/** Describes the state of a join. Each of its streams can be queried.
  *
  * @param shards
  *   the number of shards into which keys are hashed
  * @param keys
  *   the equality columns, with their names in the output
  * @param sides
  *   in the order of the spec's streams
  */
final case class JoinDescriptor(
    spec: JoinSpec,
    shards: Int,
    keys: StructType,
    sides: Seq[JoinDescriptor.Side])
    extends DescriptorJson {

  private[query] def json: ObjectNode = {
    val node = DescriptorJson.node(shards, keys)
    node.set[JsonNode]("spec", OperatorJson.write(spec))
    val all = node.putArray("sides")
    sides.foreach(side =>
      all.addObject().put("message", side.message.json).put("time", side.timeType.json).put("offsets", side.hasOffsets))
    node
  }
}

object JoinDescriptor {

  /** Describes one stream of a join.
    *
    * @param message
    *   columns of the input
    * @param timeType
    *   type of the event-time column
    * @param hasOffsets
    *   whether rows have an identity
    */
  final case class Side(message: StructType, timeType: DataType, hasOffsets: Boolean)

  private[query] def read(node: JsonNode, spec: JoinSpec): JoinDescriptor = JoinDescriptor(
    spec,
    DescriptorJson.shards(node),
    DescriptorJson.struct(node.get("keys")),
    node.get("sides").elements.asScala.map(side =>
      Side(
        DescriptorJson.struct(side.get("message")),
        SafeText.typeOf(side.get("time").asText),
        side.path("offsets").asBoolean)).toSeq)
}
