package windrow.testkit

import com.fasterxml.jackson.core.JacksonException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._
import windrow.{Pane, Reason, Timing}

/** A transcript that cannot be read; the message says where. */
final class TranscriptError(message: String) extends IllegalArgumentException(message)

/** Reads the transcripts of tests/transcripts/README.md, as far as aggregating operators go. Unknown fields are errors. */
object TranscriptReader {
  private val mapper = new ObjectMapper()

  /** Every case of a file of JSON lines, or for a line what is wrong with it. Empty lines are skipped. */
  def readFile(file: Path): Seq[Either[TranscriptError, TranscriptCase]] =
    Files.readAllLines(file).asScala.toSeq.zipWithIndex.filterNot(_._1.isBlank).map { case (line, index) =>
      try Right(read(line))
      catch {
        case e: TranscriptError => Left(new TranscriptError(s"line ${index + 1}: ${e.getMessage}"))
      }
    }

  /** @throws TranscriptError
    *   if the line is no case
    */
  def read(line: String): TranscriptCase = {
    val node =
      try mapper.readTree(line)
      catch { case e: JacksonException => throw new TranscriptError(s"no JSON: ${e.getOriginalMessage}") }
    if (!node.isObject || !node.path("id").isTextual) throw new TranscriptError("no object with an 'id'")
    val id = node.get("id").asText
    try new CaseReader(node).result(id)
    catch { case e: TranscriptError => throw new TranscriptError(s"case $id: ${e.getMessage}") }
  }

  private def fail(text: String): Nothing = throw new TranscriptError(text)

  private def known(node: JsonNode, where: String, names: String*): Unit =
    node.fieldNames.asScala.find(!names.contains(_)).foreach(name => fail(s"$where has the unknown field '$name'"))

  private def child(node: JsonNode, name: String): Option[JsonNode] = Option(node.get(name)).filterNot(_.isNull)

  private def items(node: JsonNode, name: String): Seq[JsonNode] =
    child(node, name).fold(Seq.empty[JsonNode])(_.elements.asScala.toSeq)

  private def long(node: JsonNode, name: String): Option[Long] = child(node, name).map { number =>
    if (number.isIntegralNumber && number.canConvertToLong) number.asLong
    else fail(s"$name is $number, no whole number")
  }

  private def need[T](value: Option[T], name: String): T = value.getOrElse(fail(s"$name is missing"))

  private def flag(node: JsonNode, name: String): Boolean = need(child(node, name), name).asBoolean

  private final class CaseReader(node: JsonNode) {
    private val unit: TimeUnit = {
      val name = child(node, "time_unit").fold("us")(_.asText)
      TimeUnit.All.find(_.name == name).getOrElse(fail(s"time_unit is '$name'; allowed are us, ms, s"))
    }

    def result(id: String): TranscriptCase = {
      known(node, "the case", "id", "source", "time_unit", "spec", "refused", "steps", "at_end")
      val spec = child(node, "spec").collect { case spec: ObjectNode => spec }.getOrElse(fail("spec is missing"))
      if (node.has("steps") == node.has("refused")) fail("either steps or refused must be there")
      TranscriptCase(
        id,
        child(node, "source").map(_.asText),
        unit,
        spec,
        aggregates(spec),
        spec.path("fill_gaps").asBoolean,
        items(node, "steps").zipWithIndex.map { case (step, index) => at(s"step ${index + 1}")(readStep(step)) },
        child(node, "at_end").map(end => at("at_end")(readEnd(end))),
        child(node, "refused").map(_.asText))
    }

    private def at[T](where: String)(read: => T): T =
      try read
      catch { case e: TranscriptError => fail(s"$where: ${e.getMessage}") }

    private def aggregates(spec: JsonNode): Seq[(String, String)] =
      child(spec, "aggregates").fold(Seq.empty[(String, String)])(_.properties.asScala.toSeq.map { entry =>
        val function = entry.getValue.asText
        if (!ReferenceAggregates.Names.contains(function))
          fail(s"aggregate '$function' is unknown; allowed are ${ReferenceAggregates.Names.mkString(", ")}")
        entry.getKey -> function
      })

    private def readStep(step: JsonNode): Step =
      if (step.has("restart")) {
        known(step, "a restart", "restart")
        Step.Restart
      } else if (step.has("query")) {
        known(step, "a query", "query", "expect")
        known(step.get("query"), "query", "counters")
        val expected = step.path("expect")
        known(expected, "expect of a query", "counters")
        Step.AskCounters(expected.path("counters").properties.asScala.map(e => e.getKey -> e.getValue.asLong).toMap)
      } else {
        known(step, "the step", "messages", "watermark", "processing_time", "expect")
        Step.Feed(
          items(step, "messages").map(readMessage),
          time(step, "watermark"),
          time(step, "processing_time"),
          readExpected(step))
      }

    private def readEnd(end: JsonNode): AtEnd = {
      known(end, "at_end", "final", "expect")
      AtEnd(flag(end, "final"), readExpected(end))
    }

    private def readMessage(message: JsonNode): Message = {
      known(message, "a message", "key", "time", "value", "partition", "offset", "gap")
      Message(
        key(message),
        time(message, "time"),
        need(long(message, "value"), "value"),
        long(message, "partition").map(Math.toIntExact),
        long(message, "offset"),
        time(message, "gap"))
    }

    private def readExpected(step: JsonNode): Expected = child(step, "expect").fold(Expected.Anything) { expect =>
      known(expect, "expect", "panes", "rejected")
      Expected(
        child(expect, "panes").map(_ => items(expect, "panes").map(readPane)),
        child(expect, "rejected").map(_ => items(expect, "rejected").map(readRejected)))
    }

    private def readPane(pane: JsonNode): Emission.ValuePane = {
      known(pane, "a pane", "key", "window", "timing", "index", "is_last", "is_retraction", "values")
      val bounds = items(pane, "window")
      if (bounds.size != 2) fail(s"window is ${pane.get("window")}, no [start, end]")
      Pane(
        key(pane),
        micros(bounds.head, "window"),
        micros(bounds.last, "window"),
        code(Timing.apply, 3, need(child(pane, "timing"), "timing")),
        need(long(pane, "index"), "index"),
        flag(pane, "is_last"),
        flag(pane, "is_retraction"),
        need(child(pane, "values"), "values").properties.asScala.map { entry =>
          entry.getKey -> Value.fromJson(entry.getValue).getOrElse(fail(s"value ${entry.getValue} is not understood"))
        }.toMap)
    }

    private def readRejected(rejected: JsonNode): RejectedMessage = {
      known(rejected, "a rejected message", "key", "time", "value", "reason")
      RejectedMessage(
        key(rejected),
        time(rejected, "time"),
        need(long(rejected, "value"), "value"),
        code(Reason.apply, 3, need(child(rejected, "reason"), "reason")))
    }

    private def code[T](all: Byte => T, count: Int, name: JsonNode): T =
      (0 until count).map(i => all(i.toByte)).find(_.toString == name.asText).getOrElse(fail(s"$name is unknown"))

    private def key(node: JsonNode): Option[String] = child(node, "key").map { key =>
      if (key.isTextual) key.asText else fail(s"key is $key, neither text nor null")
    }

    private def time(node: JsonNode, name: String): Option[Long] = child(node, name).map(micros(_, name))

    private def micros(number: JsonNode, name: String): Long =
      if (!number.isIntegralNumber || !number.canConvertToLong)
        fail(s"$name is $number, no whole number of ${unit.name}")
      else
        try Math.multiplyExact(number.asLong, unit.micros)
        catch { case _: ArithmeticException => fail(s"$name is $number ${unit.name}, beyond 64 bits of microseconds") }
  }
}
