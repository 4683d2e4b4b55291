package windrow.spark.verify

import com.fasterxml.jackson.core.{JacksonException, JsonParser}
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8

/** Decodes text and JSON strictly: no incomplete characters, no duplicate fields, nothing after the end. */
private[verify] object StrictJson {
  private val mapper = new ObjectMapper()
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)

  def text(bytes: Array[Byte]): Option[String] =
    try Some(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString)
    catch { case _: CharacterCodingException => None }

  def read(text: String): Option[JsonNode] =
    try Option(mapper.readTree(text)).filterNot(_.isMissingNode)
    catch { case _: JacksonException => None }

  def read(bytes: Array[Byte]): Option[JsonNode] = text(bytes).flatMap(read)

  /** Returns the lines of a log of Spark's. Only line feeds separate them. */
  def lines(bytes: Array[Byte]): Option[Seq[String]] = text(bytes).map(_.split("\n", -1).toSeq)
}
