package windrow

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import scala.jdk.CollectionConverters._

/** Reads and writes the fields that the specs of several operators have. */
private[windrow] object SharedFieldsJson {
  private val Offsets = "start_offsets"

  /** Creates the reader of a spec. The default of its `time_unit` is that of the enclosing object. */
  def reader(node: ObjectNode, outer: Map[String, String]): JsonReader =
    new JsonReader(Option(node.get("time_unit")).map(_.asText).getOrElse(outer.getOrElse("time_unit", "us")))

  /** Reads the lateness: `null` is unlimited. */
  def lateness(node: ObjectNode, reader: JsonReader): Option[TimeSpan] =
    if (node.path("lateness").isNull) Some(TimeSpan.Endless) else reader.span(node, "lateness")

  def retention(node: ObjectNode, limits: Set[String], reader: JsonReader): Retention =
    reader.child(node, "retention").fold(Retention.NotStated) { stated =>
      if (!stated.isObject)
        reader.refuse[Unit](
          "RETENTION_NOT_UNDERSTOOD",
          "value"  -> stated,
          "limits" -> limits.toSeq.sorted.mkString(", "))
      reader.known(stated, "retention", limits)
      Retention(reader.span(stated, "time"), reader.count(stated, "messages"), reader.count(stated, "windows"))
    }

  /** Reads the start offsets of one stream, by partition. */
  def offsets(node: ObjectNode, reader: JsonReader): Map[Long, Long] =
    reader.child(node, Offsets).fold(Map.empty[Long, Long])(byPartition(_, reader))

  /** Reads the start offsets of several streams, by stream and partition. */
  def offsetsByStream(node: ObjectNode, reader: JsonReader): Map[String, Map[Long, Long]] =
    reader.child(node, Offsets).toSeq.flatMap(entries(_, reader)).map { case (stream, of) =>
      stream -> byPartition(of, reader)
    }.toMap

  private def byPartition(node: JsonNode, reader: JsonReader): Map[Long, Long] =
    entries(node, reader).flatMap { case (partition, offset) =>
      val read = Option.when(offset.isIntegralNumber && offset.canConvertToLong)(offset.asLong)
      partition.toLongOption.zip(read).orElse(refused[(Long, Long)](s"has '$partition': $offset", reader))
    }.toMap

  private def entries(node: JsonNode, reader: JsonReader): Seq[(String, JsonNode)] = {
    if (!node.isObject) refused[Unit](s"is $node", reader)
    node.properties.asScala.toSeq.map(entry => entry.getKey -> entry.getValue)
  }

  private def refused[T](found: String, reader: JsonReader): Option[T] =
    reader.refuse("START_OFFSET_NOT_UNDERSTOOD", "name" -> Offsets, "found" -> found)

  def write(lateness: Option[TimeSpan], node: ObjectNode): Unit = lateness.foreach(span =>
    if (span == TimeSpan.Endless) node.putNull("lateness") else node.put("lateness", span.micros))

  def write(retention: Retention, node: ObjectNode): Unit = if (retention.isStated) {
    val limits = node.putObject("retention")
    retention.time.foreach(span => limits.put("time", span.micros))
    retention.messages.foreach(limits.put("messages", _))
    retention.windows.foreach(limits.put("windows", _))
  }

  def write(offsets: Map[Long, Long], node: ObjectNode): Unit =
    offsets.toSeq.sorted.foreach { case (partition, offset) => node.put(partition.toString, offset) }
}
