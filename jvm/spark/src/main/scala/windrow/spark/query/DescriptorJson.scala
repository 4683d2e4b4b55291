package windrow.spark.query

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.spark.sql.types.StructType
import windrow.spark.shards.OperatorDescriptor

/** A descriptor that is stored as JSON. */
trait DescriptorJson extends OperatorDescriptor {
  private[query] def json: ObjectNode

  final def bytes: Array[Byte] = json.put("format", DescriptorJson.Format).toString.getBytes(UTF_8)
}

object DescriptorJson {

  private[query] val Format = 1

  private val mapper = new ObjectMapper()

  private[query] def node(shards: Int, keys: StructType): ObjectNode =
    mapper.createObjectNode().put("shards", shards).put("keys", keys.json)

  private[query] def shards(node: JsonNode): Int = {
    val found = node.path("shards").asInt
    require(found > 0, s"$found is not a number of shards")
    found
  }

  private[query] def struct(node: JsonNode): StructType = SafeText.typeOf(node.asText).asInstanceOf[StructType]

  private[query] def texts(node: ObjectNode, name: String, all: Seq[String]): Unit = {
    val array = node.putArray(name)
    all.foreach(array.add(_))
  }
}
