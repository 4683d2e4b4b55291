package windrow.spark.state

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import scala.jdk.CollectionConverters._
import windrow.CheckpointError
import windrow.CheckedSpec
import windrow.FullStateSpec
import windrow.OperatorJson
import windrow.SpecJson
import windrow.WindowKind
import windrow.WindowOperatorSpec
import windrow.spark.pack.PackRecipe
import windrow.spark.plan.AggregateParts

/** What the state of an operator of a query is, for those who look into its checkpoint. It is kept in the state itself, as
  * JSON.
  *
  * @param name
  *   of the operator's stream
  * @param fixed
  *   what the state was begun with, in words
  * @param shards
  *   into which keys are hashed
  * @param keys
  *   key columns, under the names that panes show
  * @param timeType
  *   of the column of the event time
  */
final case class StateAbout(
    name: String,
    fixed: Seq[String],
    shards: Int,
    keys: StructType,
    timeType: DataType,
    holds: StateAbout.Holds) {

  def window: WindowKind = holds match {
    case StateAbout.Aggregates(spec, _, _) => spec.window
    case StateAbout.Messages(spec, _, _)   => spec.window
  }

  def bytes: Array[Byte] = StateAbout.write(this).toString.getBytes(UTF_8)
}

object StateAbout {

  /** Its name among the variables of the operator. */
  val Variable = "about"

  private val Format = 1
  private val mapper = new ObjectMapper()

  sealed trait Holds

  /** @param texts
    *   of the aggregates, or which of them has none that says it whole
    * @param ordered
    *   messages keep their place, because an aggregate depends on their order
    */
  final case class Aggregates(spec: WindowOperatorSpec, texts: Either[String, AggregateTexts], ordered: Boolean)
      extends Holds

  /** @param message
    *   columns of the input
    * @param joinKeys
    *   columns of the message by which it is asked for
    */
  final case class Messages(spec: FullStateSpec, message: StructType, joinKeys: Seq[String]) extends Holds

  def ofAggregates(
      session: SparkSession,
      name: String,
      spec: WindowOperatorSpec,
      fixed: Seq[String],
      recipe: PackRecipe,
      parts: AggregateParts,
      timeType: DataType): StateAbout = StateAbout(
    name,
    fixed,
    recipe.shards,
    keysOf(parts),
    timeType,
    Aggregates(spec, AggregateTexts.of(session, parts), recipe.lane.ordered))

  def ofMessages(
      spec: FullStateSpec,
      name: String,
      joinKeys: Seq[String],
      fixed: Seq[String],
      shards: Int,
      parts: AggregateParts,
      timeType: DataType): StateAbout =
    StateAbout(name, fixed, shards, keysOf(parts), timeType, Messages(spec, parts.message, joinKeys))

  private def keysOf(parts: AggregateParts): StructType = StructType(parts.keys.map { key =>
    val shown = parts.shown.find(_.child.semanticEquals(key.toAttribute)).getOrElse(key)
    StructField(shown.name, key.dataType, key.nullable)
  })

  private def write(about: StateAbout): ObjectNode = {
    val node = mapper.createObjectNode().put("format", Format).put("name", about.name)
    texts(node, "fixed", about.fixed)
    node.put("shards", about.shards).put("keys", about.keys.json).put("time", about.timeType.json)
    about.holds match {
      case Aggregates(spec, texts, ordered) =>
        node.set[JsonNode]("spec", SpecJson.write(spec.draft))
        val aggregates = node.putObject("aggregates").put("ordered", ordered)
        texts match {
          case Right(clear)  => AggregateTexts.write(clear, aggregates)
          case Left(unclear) => aggregates.put("unclear", unclear)
        }
      case Messages(spec, message, joinKeys) =>
        node.set[JsonNode]("spec", OperatorJson.write(spec))
        node.put("message", message.json)
        texts(node, "join_keys", joinKeys)
    }
    node
  }

  /** @param path
    *   of the checkpoint, for the error
    */
  def read(bytes: Array[Byte], path: String): StateAbout = {
    val node = mapper.readTree(bytes)
    if (node.path("format").asInt != Format)
      throw new CheckpointError(
        s"[STATE_VERSION] '$path' says what it holds in format ${node.path("format")}; this version reads $Format.")
    val spec = OperatorJson.read(node.get("spec").asInstanceOf[ObjectNode], Map.empty).fold(
      found => throw new CheckpointError(s"[STATE_DAMAGED] the spec in '$path' cannot be read: ${found.mkString(" ")}"),
      identity)
    val holds = spec match {
      case CheckedSpec.Aggregate(spec) =>
        val said = node.get("aggregates")
        val read = Option(said.get("unclear")).map(_.asText).toLeft(AggregateTexts.read(said))
        Aggregates(spec, read, said.path("ordered").asBoolean)
      case CheckedSpec.FullState(spec) => Messages(spec, struct(node.get("message")), texts(node.get("join_keys")))
      case _ => throw new CheckpointError(s"[STATE_VERSION] '$path' holds what this version does not know.")
    }
    StateAbout(
      node.path("name").asText,
      texts(node.get("fixed")),
      node.path("shards").asInt,
      struct(node.get("keys")),
      DataType.fromJson(node.path("time").asText),
      holds)
  }

  private[state] def struct(node: JsonNode): StructType = DataType.fromJson(node.asText).asInstanceOf[StructType]

  private[state] def texts(node: JsonNode): Seq[String] = node.elements.asScala.map(_.asText).toSeq

  private[state] def texts(node: ObjectNode, name: String, all: Seq[String]): Unit = {
    val array = node.putArray(name)
    all.foreach(array.add(_))
  }
}
