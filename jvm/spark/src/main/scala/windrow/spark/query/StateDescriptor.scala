package windrow.spark.query

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import windrow.spark.input.AggregateParts
import windrow.{
  CheckedSpec, CheckpointError, ErrorConditions, FullStateSpec, JsonReader, OperatorJson, SpecJson, WindowKind,
  WindowOperatorSpec
}

/** Describes the state of an operator for readers of its checkpoint.
  *
  * @param name
  *   the name of the stream
  * @param shards
  *   the number of shards into which keys are hashed
  * @param keys
  *   key columns, with their names in panes
  * @param timeType
  *   type of the event-time column
  */
final case class StateDescriptor(
    name: String,
    shards: Int,
    keys: StructType,
    timeType: DataType,
    holds: StateDescriptor.StateContents)
    extends DescriptorJson {

  /** Returns the descriptor of windows of aggregates that run with another spec. */
  private[spark] def of(spec: WindowOperatorSpec): StateDescriptor = holds match {
    case aggregates: StateDescriptor.Aggregates => copy(holds = aggregates.copy(spec = spec))
    case _                                      => this
  }

  private[query] def json: ObjectNode = holds match {
    case StateDescriptor.JoinState(join, _) => join.json
    case held: StateDescriptor.StreamState =>
      val node = DescriptorJson.node(shards, keys).put("name", name).put("time", timeType.json)
      held.write(node)
      node
  }
}

object StateDescriptor {

  sealed trait StateContents {

    /** Whether a question needs a space. The space with the times at which keys are next due is never needed. */
    private[query] def needs(space: String): Boolean = space != "periods"
  }

  /** Windows or rows of one stream. */
  sealed trait StreamState extends StateContents {
    private[query] def write(node: ObjectNode): Unit
  }

  /** Windows of one stream. */
  sealed trait WindowState extends StreamState {
    def window: WindowKind
  }

  /** Windows of aggregates.
    *
    * @param texts
    *   the texts of the aggregates, or Left with all of them if Spark would restore other aggregates from them
    * @param ordered
    *   whether rows keep their place in the order, because an aggregate depends on it
    */
  final case class Aggregates(spec: WindowOperatorSpec, texts: Either[String, AggregateTexts], ordered: Boolean)
      extends WindowState {
    def window: WindowKind = spec.window

    private[query] override def needs(space: String): Boolean = true

    private[query] def write(node: ObjectNode): Unit = {
      node.set[JsonNode]("spec", SpecJson.write(spec.draft))
      val aggregates = node.putObject("aggregates").put("ordered", ordered)
      texts match {
        case Right(clear)  => AggregateTexts.write(clear, aggregates)
        case Left(unclear) => aggregates.put("unclear", unclear): Unit
      }
    }
  }

  object Aggregates {
    private[query] def read(node: JsonNode, spec: WindowOperatorSpec): Aggregates = {
      val stored = node.get("aggregates")
      val texts  = Option(stored.get("unclear")).map(_.asText).toLeft(AggregateTexts.read(stored))
      Aggregates(spec, texts, stored.path("ordered").asBoolean)
    }
  }

  /** Rows in full state.
    *
    * @param message
    *   columns of the input
    * @param indexed
    *   columns by which stored rows are queried
    */
  final case class Messages(spec: FullStateSpec, message: StructType, indexed: Seq[String]) extends WindowState {
    def window: WindowKind = spec.window

    private[query] def write(node: ObjectNode): Unit = {
      node.set[JsonNode]("spec", OperatorJson.write(spec))
      node.put("message", message.json)
      DescriptorJson.texts(node, "join_keys", indexed)
    }
  }

  object Messages {
    private[query] def read(node: JsonNode, spec: FullStateSpec): Messages =
      Messages(spec, DescriptorJson.struct(node.get("message")), JsonReader.texts(node.get("join_keys")))
  }

  /** Rows by key, without windows: those of a deduplication or of a search for a pattern.
    *
    * @param hasOffsets
    *   whether rows have an identity
    */
  final case class KeyedState(of: KeyedSpec, message: StructType, hasOffsets: Boolean) extends StreamState {
    private[query] override def needs(space: String): Boolean = true

    private[query] def write(node: ObjectNode): Unit = {
      node.set[JsonNode]("spec", of.json)
      node.put("message", message.json).put("offsets", hasOffsets)
      of.write(node)
    }
  }

  object KeyedState {
    private[query] def read(node: JsonNode, of: KeyedSpec): KeyedState =
      KeyedState(of, DescriptorJson.struct(node.get("message")), node.path("offsets").asBoolean)
  }

  /** Rows of one stream of a join.
    *
    * @param number
    *   its position among the streams
    */
  final case class JoinState(join: JoinDescriptor, number: Int) extends StateContents {
    def side: JoinDescriptor.Side = join.sides(number)
  }

  def of(name: String, shards: Int, parts: AggregateParts, timeType: DataType, holds: StateContents): StateDescriptor =
    StateDescriptor(name, shards, keysOf(parts), timeType, holds)

  private def keysOf(parts: AggregateParts): StructType = StructType(parts.keys.map { key =>
    val shown = parts.shown.find(_.child.semanticEquals(key.toAttribute)).getOrElse(key)
    StructField(shown.name, key.dataType, key.nullable)
  })

  /** Reads the descriptors of all streams of an operator. A join has several.
    *
    * @param path
    *   the path of the checkpoint, for the error
    */
  private[query] def read(bytes: Array[Byte], path: String): Seq[StateDescriptor] = DamageGuard(path) {
    val node = new ObjectMapper().readTree(bytes)
    if (node.path("format").asInt != DescriptorJson.Format)
      throw new CheckpointError(
        ErrorConditions.message(
          "STATE_VERSION.DESCRIPTOR",
          "path"  -> path,
          "found" -> node.path("format"),
          "known" -> DescriptorJson.Format))
    val spec = OperatorJson.read(node.get("spec").asInstanceOf[ObjectNode], Map.empty).fold(
      found =>
        throw new CheckpointError(ErrorConditions.message(
          "STATE_DAMAGED.SPEC",
          "path"  -> path,
          "found" -> found.mkString(" "))),
      identity)
    spec match {
      case CheckedSpec.Join(spec)      => ofJoin(JoinDescriptor.read(node, spec))
      case CheckedSpec.Aggregate(spec) => Seq(read(node, Aggregates.read(node, spec)))
      case CheckedSpec.FullState(spec) => Seq(read(node, Messages.read(node, spec)))
      case CheckedSpec.Dedup(spec)     => Seq(read(node, KeyedState.read(node, KeyedSpec.Dedup.read(node, spec))))
      case CheckedSpec.Match(spec)     => Seq(read(node, KeyedState.read(node, KeyedSpec.Match(spec))))
      case _ => throw new CheckpointError(ErrorConditions.message("STATE_VERSION.UNKNOWN", "path" -> path))
    }
  }

  private def ofJoin(join: JoinDescriptor): Seq[StateDescriptor] = join.spec.names.zip(join.sides).zipWithIndex.map {
    case ((name, side), number) => StateDescriptor(name, join.shards, join.keys, side.timeType, JoinState(join, number))
  }

  private def read(node: JsonNode, holds: StateContents): StateDescriptor = StateDescriptor(
    node.path("name").asText,
    DescriptorJson.shards(node),
    DescriptorJson.struct(node.get("keys")),
    SafeText.typeOf(node.path("time").asText),
    holds)
}
