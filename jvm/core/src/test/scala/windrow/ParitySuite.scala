package windrow

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import java.io.File
import org.scalatest.funsuite.AnyFunSuite
import scala.jdk.CollectionConverters._
import windrow.explain.{Clock, Explanation}

/** Checks that Scala treats durations and specs exactly as Python does: both read tests/parity. */
class ParitySuite extends AnyFunSuite {
  private val mapper = new ObjectMapper()

  private def cases(file: String, part: String): Seq[JsonNode] = {
    val found = mapper.readTree(new File(s"tests/parity/$file.json")).path(part).elements.asScala.toSeq
    assert(found.nonEmpty, s"$file.json has no $part")
    found
  }

  for (duration <- cases("durations", "read")) {
    val text = duration.get("text").asText
    test(s"duration '$text' has one value and one shortest text") {
      val span = TimeSpan.parse(text)
      assert(span === Right(TimeSpan(duration.get("micros").asLong)))
      assert(span.map(_.toString) === Right(duration.get("shown").asText))
    }
  }

  for (duration <- cases("durations", "refused")) {
    val text = duration.get("text").asText
    test(s"duration '$text' is refused with one code and one sentence") {
      assert(
        TimeSpan.parse(text) ===
          Left(SpecProblem(duration.get("code").asText, duration.get("problem").asText)))
    }
  }

  for (spec <- cases("specs", "written")) {
    val json = spec.get("json")
    test(s"spec $json goes through JSON unchanged") {
      val read = checked(json)
      assert(read.map(_.window.toString) === Right(spec.get("window").asText))
      assert(read.map(whole => SpecJson.write(whole.draft)).map(same) === Right(same(json)))
    }
  }

  for (spec <- cases("specs", "read"))
    test(s"spec with ${spec.get("why").asText} means the same") {
      assert(
        checked(spec.get("json")).map(whole => same(SpecJson.write(whole.draft))) ===
          Right(same(spec.get("means"))))
    }

  for (spec <- cases("specs", "refused"))
    test(s"spec ${spec.get("json")} is refused with the same codes") {
      def texts(name: String) = spec.get(name).elements.asScala.map(_.asText).toSeq
      val problems            = checked(spec.get("json")).swap.getOrElse(Nil)
      assert(problems.map(_.code).toSet === texts("codes").toSet)
      if (spec.has("problems")) assert(problems.map(_.toString) === texts("problems"))
    }

  for (told <- cases("explained", "windows"))
    test(s"spec ${told.get("json")} is explained in the same words") {
      val clock = Clock.EventClock("1 minute")
      assert(
        checked(told.get("json")).map(Explanation(_, "a stream", clock).linesIterator.toSeq) ===
          Right(told.get("lines").elements.asScala.map(_.asText).toSeq))
    }

  for (told <- cases("explained", "joins"))
    test(s"join ${told.get("json")} is explained in the same words") {
      def texts(in: JsonNode) = in.elements.asScala.map(_.asText).toSeq
      val said = operatorOf(told.get("json").deepCopy[ObjectNode]().without[ObjectNode]("input")).map {
        case CheckedSpec.Join(spec) =>
          val clocks = Map[String, Clock](spec.names.head -> Clock.EventClock("1 minute"))
          Explanation(spec, texts(told.at("/json/input/on")), clocks, None, Nil).linesIterator.toSeq
        case other => fail(s"$other is no join")
      }
      assert(said === Right(texts(told.get("lines"))))
    }

  for (policy <- cases("specs", "policies"))
    test(s"policy ${policy.get("json")} means what Python says") {
      val read = policyOf(policy.get("json"))
      assert(read.map(_.eviction.toString) === Right(policy.get("eviction").asText))
      assert(read.map(_.limits.toString) === Right(policy.get("limits").asText))
    }

  for (policy <- cases("specs", "policies_refused"))
    test(s"policy ${policy.get("json")} is refused with the same sentences") {
      assert(
        policyOf(policy.get("json")).left.map(_.map(_.toString)) ===
          Left(policy.get("problems").elements.asScala.map(_.asText).toSeq))
    }

  for (operator <- cases("specs", "operators"))
    test(s"operator ${operator.get("why").asText} is accepted") {
      assert(operatorOf(operator.get("json")).isRight)
    }

  for (operator <- cases("specs", "operators_refused"))
    test(s"operator ${operator.get("json")} is refused with the same codes") {
      val problems = operatorOf(operator.get("json")).swap.getOrElse(Nil)
      assert(problems.map(_.code).toSet === operator.get("codes").elements.asScala.map(_.asText).toSet)
    }

  private def policyOf(json: JsonNode): Either[Seq[SpecProblem], PolicyWindowSpec] =
    PolicySpecJson.read(json.asInstanceOf[ObjectNode], "us")

  private def operatorOf(json: JsonNode): Either[Seq[SpecProblem], CheckedSpec] =
    OperatorJson.read(json.asInstanceOf[ObjectNode], Map.empty)

  private def checked(json: JsonNode): Either[Seq[SpecProblem], WindowOperatorSpec] =
    SpecJson.read(json.asInstanceOf[ObjectNode], Map.empty).flatMap(_.check)

  /** Parses the text of a node again, because a JSON tree distinguishes int from long. */
  private def same(node: JsonNode): JsonNode = mapper.readTree(node.toString)
}
