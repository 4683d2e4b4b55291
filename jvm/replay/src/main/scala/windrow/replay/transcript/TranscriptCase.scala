package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import windrow.SpecProblem

/** One line of a transcript: a spec, its input, and its expected results.
  *
  * All times here are microseconds. `timeUnit` is only the unit in the file.
  *
  * @param specJson
  *   the spec as in the file, with durations in `timeUnit`
  * @param refused
  *   the code of a problem for which the spec must be refused; the case then lacks steps
  */
final case class TranscriptCase(
    id: String,
    source: Option[String],
    timeUnit: TimeUnit,
    specJson: ObjectNode,
    steps: Seq[Step],
    atEnd: Option[AtEnd],
    refused: Option[String] = None) {

  /** The operator of the case, checked as far as the core can check it, or the reasons why it is refused. */
  lazy val operator: Either[Seq[SpecProblem], OperatorSpec] = OperatorSpec.read(specJson, timeUnit)
}

object TranscriptCase {

  /** Returns the kind as in the file; empty for operators without a window of their own. */
  def windowKind(spec: JsonNode): String = spec.path("window").path("kind").asText

  /** Whether a window can return after it was withdrawn. The numbers of its panes can then have gaps, and it can be on
    * time again (SEMANTICS R84).
    */
  def windowsReturn(spec: JsonNode): Boolean =
    Seq("ends_with", "max_length", "split").exists(spec.path("window").has(_))
}

/** The unit in which a file writes its times. */
sealed abstract class TimeUnit(val name: String, val micros: Long)

object TimeUnit {
  case object Micros  extends TimeUnit("us", 1L)
  case object Millis  extends TimeUnit("ms", 1000L)
  case object Seconds extends TimeUnit("s", 1000000L)

  val All: Seq[TimeUnit] = Seq(Micros, Millis, Seconds)
}

sealed trait Step

object Step {

  /** Messages, then the watermark, then processing time. None means unchanged; before the first one there is neither.
    *
    * @param punctuation
    *   whether the marker of policy windows follows the messages
    */
  final case class Feed(
      messages: Seq[Message],
      watermark: Option[Long] = None,
      processingTime: Option[Long] = None,
      expected: Expected = Expected.Anything,
      punctuation: Boolean = false) extends Step

  /** The operator stops and restarts from its stored state. */
  case object Restart extends Step

  /** @param expected
    *   the expected answer, or None to check nothing
    */
  final case class Ask(query: Query, expected: Option[Answer] = None) extends Step
}

/** @param isFinal
  *   whether the input ends, so that the watermark passes all times
  */
final case class AtEnd(isFinal: Boolean, expected: Expected = Expected.Anything)
