package windrow.spark.verify

import com.fasterxml.jackson.databind.JsonNode
import java.util.UUID
import scala.jdk.CollectionConverters._
import scala.util.Try

/** The content of an entry of `offsets`.
  *
  * @param sources
  *   for each source the number of the last entry of its file log, if it has one
  * @param codec
  *   the compression codec for the changes of the state
  */
private[verify] final case class OffsetsEntry(sources: Seq[Option[Long]], codec: String)

/** The content of an entry of the log of a file source or file sink.
  *
  * @param entries
  *   for each file the entry of the log with which it arrived, and its line
  */
private[verify] final case class FileLogEntry(entries: Seq[(Option[Long], String)])

/** The description of an operator.
  *
  * @param partitions
  *   the number of partitions of each of its stores
  * @param schemas
  *   schema files of its state, by the part of their path after `_stateSchema/`
  */
private[verify] final case class OperatorMetadata(partitions: Map[String, Int], schemas: Seq[String])

/** Parses Spark's text logs: a version line, then one JSON object per line. Left contains the reason why a file is not
  * valid.
  */
private[verify] object Logs {
  private val Codec = "spark.sql.streaming.stateStore.compression.codec"

  def planned(bytes: Array[Byte]): Either[String, OffsetsEntry] = for {
    lines <- versioned(bytes)
    head  <- lines.headOption.toRight("it ends before its first line")
    node  <- json(head)
    _     <- having(node, "batchWatermarkMs" -> isNumber, "batchTimestampMs" -> isNumber, "conf" -> (_.isObject))
    read  <- all(lines.tail)(source)
  } yield OffsetsEntry(read, node.path("conf").path(Codec).asText("lz4"))

  /** Parses the line of a source. A source without an offset has a dash. */
  private def source(line: String): Either[String, Option[Long]] =
    if (line.isEmpty) Left("a source has an empty line")
    else if (line == "-") Right(None)
    else if (line.startsWith("{") || line.startsWith("["))
      json(line).map(node => Option.when(node.path("logOffset").isIntegralNumber)(node.path("logOffset").asLong))
    else Right(None)

  def committed(bytes: Array[Byte]): Either[String, Unit] = for {
    lines <- versioned(bytes)
    line  <- only(lines)
    node  <- json(line)
    _     <- having(node, "nextBatchWatermarkMs" -> isNumber)
  } yield ()

  def sourceLog(bytes: Array[Byte]): Either[String, FileLogEntry] =
    listed(bytes, "path" -> (_.isTextual), "timestamp" -> isNumber, "batchId" -> isNumber)

  def sinkLog(bytes: Array[Byte]): Either[String, FileLogEntry] =
    listed(
      bytes,
      "path"             -> (_.isTextual),
      "size"             -> isNumber,
      "modificationTime" -> isNumber,
      "action"           -> (_.isTextual))

  private def listed(bytes: Array[Byte], fields: (String, JsonNode => Boolean)*): Either[String, FileLogEntry] = for {
    lines <- versioned(bytes)
    read <- all(lines)(line =>
      json(line).flatMap(node => having(node, fields: _*).map(_ => Option(node.get("batchId")).map(_.asLong) -> line)))
  } yield FileLogEntry(read)

  /** Parses `{"id":"…"}`. */
  def query(bytes: Array[Byte]): Either[String, Unit] = for {
    text <- StrictJson.text(bytes).toRight("it is not text")
    node <- json(text)
    _    <- having(node, "id" -> (id => isId(id.asText)))
  } yield ()

  /** Parses Windrow's marker, which is also in the folders of its files. */
  def mark(bytes: Array[Byte]): Either[String, Unit] =
    Either.cond(StrictJson.text(bytes).exists(text => isId(text.trim)), (), "it does not contain the id of a query")

  private def isId(text: String): Boolean = Try(UUID.fromString(text)).toOption.exists(_.toString == text)

  def operator(bytes: Array[Byte]): Either[String, OperatorMetadata] = for {
    lines <- versioned(bytes)
    line  <- only(lines)
    node  <- json(line)
    _     <- having(node, "operatorInfo" -> (_.isObject), "stateStoreInfo" -> (_.isArray))
    _ <- Option(node.get("operatorPropertiesJson")).map(_.asText).filter(_.nonEmpty).fold[Either[String, Unit]](
      Right(()))(json(_).map(_ => ()))
    stores <- all(node.path("stateStoreInfo").elements.asScala.toSeq)(store =>
      having(store, "storeName" -> (_.isTextual), "numPartitions" -> (_.isInt)).map(_ => store))
  } yield OperatorMetadata(
    stores.map(store => store.path("storeName").asText -> store.path("numPartitions").asInt).toMap,
    stores.flatMap(_.path("stateSchemaFilePaths").elements.asScala).map(_.asText.split("/_stateSchema/").last))

  // ---- formats

  private def versioned(bytes: Array[Byte]): Either[String, Seq[String]] = for {
    lines <- StrictJson.lines(bytes).toRight("it is not text")
    _     <- Either.cond(lines.head.matches("v[1-9]"), (), "it does not start with its version")
  } yield lines.tail

  private def only(lines: Seq[String]): Either[String, String] = lines match {
    case Seq(one) => Right(one)
    case others   => Left(s"it has ${others.size} lines after its version instead of one")
  }

  private def json(line: String): Either[String, JsonNode] =
    StrictJson.read(line).filter(_.isContainerNode).toRight("one of its lines is not JSON")

  private def having(node: JsonNode, fields: (String, JsonNode => Boolean)*): Either[String, Unit] =
    fields.find { case (name, fits) => !node.has(name) || !fits(node.get(name)) } match {
      case Some((name, _)) => Left(s"one of its lines does not have '$name'")
      case None            => Right(())
    }

  private def isNumber: JsonNode => Boolean = _.isIntegralNumber

  private def all[A, B](of: Seq[A])(read: A => Either[String, B]): Either[String, Seq[B]] =
    of.foldLeft[Either[String, Vector[B]]](Right(Vector.empty))((before, one) =>
      before.flatMap(seen => read(one).map(seen :+ _)))
}
