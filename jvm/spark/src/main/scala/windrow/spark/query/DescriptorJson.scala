package windrow.spark.query

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.spark.sql.types.StructType
import scala.jdk.CollectionConverters._
import windrow.CheckedSpec
import windrow.CheckpointError
import windrow.OperatorJson
import windrow.spark.shards.OperatorDescriptor

/** As JSON. */
trait DescriptorJson extends OperatorDescriptor {
  private[query] def json: ObjectNode

  final def bytes: Array[Byte] = json.put("format", DescriptorJson.Format).toString.getBytes(UTF_8)
}

object DescriptorJson {

  private val Format = 1
  private val mapper = new ObjectMapper()

  /** What can be asked for, by the name of a stream: of a join several.
    *
    * @param path
    *   of the checkpoint, for the error
    */
  private[query] def read(bytes: Array[Byte], path: String): Seq[StateDescriptor] = {
    val node = mapper.readTree(bytes)
    if (node.path("format").asInt != Format)
      throw new CheckpointError(
        s"[STATE_VERSION] '$path' says what it holds in format ${node.path("format")}; this version reads $Format.")
    val spec = OperatorJson.read(node.get("spec").asInstanceOf[ObjectNode], Map.empty).fold(
      found => throw new CheckpointError(s"[STATE_DAMAGED] the spec in '$path' cannot be read: ${found.mkString(" ")}"),
      identity)
    spec match {
      case CheckedSpec.Join(spec)      => JoinDescriptor.read(node, spec).streams
      case CheckedSpec.Aggregate(spec) => Seq(StateDescriptor.read(node, StateDescriptor.Aggregates.read(node, spec)))
      case CheckedSpec.FullState(spec) => Seq(StateDescriptor.read(node, StateDescriptor.Messages.read(node, spec)))
      case _ => throw new CheckpointError(s"[STATE_VERSION] '$path' holds what this version does not know.")
    }
  }

  private[query] def node(shards: Int, keys: StructType): ObjectNode =
    mapper.createObjectNode().put("shards", shards).put("keys", keys.json)

  private[query] def struct(node: JsonNode): StructType = SafeText.typeOf(node.asText).asInstanceOf[StructType]

  private[query] def texts(node: JsonNode): Seq[String] = node.elements.asScala.map(_.asText).toSeq

  private[query] def texts(node: ObjectNode, name: String, all: Seq[String]): Unit = {
    val array = node.putArray(name)
    all.foreach(array.add(_))
  }
}
