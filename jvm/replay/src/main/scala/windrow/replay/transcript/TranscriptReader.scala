package windrow.replay

import com.fasterxml.jackson.core.JacksonException
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._
import windrow.replay.TranscriptFields._

/** A transcript that cannot be read. The message names the place. */
final class TranscriptError(message: String) extends IllegalArgumentException(message)

/** Reads the transcripts of tests/transcripts/README.md. Unknown fields are errors. */
object TranscriptReader {
  private val mapper = new ObjectMapper()

  /** Returns for each line of a file of JSON lines its case, or the error in it. Skips empty lines. */
  def readFile(file: Path): Seq[Either[TranscriptError, TranscriptCase]] =
    Files.readAllLines(file).asScala.toSeq.zipWithIndex.filterNot(_._1.isBlank).map { case (line, index) =>
      try Right(read(line))
      catch {
        case e: TranscriptError => Left(new TranscriptError(s"line ${index + 1}: ${e.getMessage}"))
      }
    }

  /** @throws TranscriptError
    *   if the line is not a case
    */
  def read(line: String): TranscriptCase = {
    val node =
      try mapper.readTree(line)
      catch { case e: JacksonException => fail(s"not JSON: ${e.getOriginalMessage}") }
    if (!node.isObject || !node.path("id").isTextual) fail("not an object with an 'id'")
    val id = node.get("id").asText
    at(s"case $id")(readCase(id, node))
  }

  private def readCase(id: String, node: JsonNode): TranscriptCase = {
    known(node, "the case", "id", "source", "time_unit", "spec", "refused", "steps", "at_end")
    val spec = child(node, "spec").collect { case spec: ObjectNode => spec }.getOrElse(fail("spec is missing"))
    if (node.has("steps") == node.has("refused")) fail("either steps or refused is required")
    val unit  = timeUnit(node)
    val steps = new StepReader(new UnitJson(unit, spec))
    val read = TranscriptCase(
      id,
      child(node, "source").map(_.asText),
      unit,
      spec,
      items(node, "steps").zipWithIndex.map { case (step, index) => at(s"step ${index + 1}")(steps.step(step)) },
      child(node, "at_end").map(end => at("at_end")(steps.end(end))),
      child(node, "refused").map(_.asText))
    checkAggregates(read)
    read
  }

  private def timeUnit(node: JsonNode): TimeUnit = {
    val name = child(node, "time_unit").fold("us")(_.asText)
    TimeUnit.All.find(_.name == name).getOrElse(fail(s"time_unit is '$name'; allowed are us, ms, s"))
  }

  private def checkAggregates(transcript: TranscriptCase): Unit = {
    val hasTexts = transcript.steps.collect { case feed: Step.Feed => feed.messages }.flatten.exists(_.value match {
      case Value.Text(_) => true
      case _             => false
    })
    OperatorSpec.aggregates(transcript.specJson).foreach { case (_, function) =>
      if (!ReferenceAggregates.Names.contains(function))
        fail(s"aggregate '$function' is unknown; allowed are ${ReferenceAggregates.Names.mkString(", ")}")
      if (hasTexts && !ReferenceAggregates.OfTexts(function)) fail(s"aggregate '$function' is for numbers only")
    }
  }

  private def at[T](where: String)(read: => T): T =
    try read
    catch { case e: TranscriptError => fail(s"$where: ${e.getMessage}") }
}
