package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import windrow.SpecProblem

/** One line of a transcript: a spec, what is fed to it, and what must come out.
  *
  * All times here are microseconds; `timeUnit` is only how the file writes them.
  *
  * @param specJson
  *   the spec as the file has it, durations in `timeUnit`
  * @param refused
  *   the code of a problem for which the spec must be refused; then there are no steps
  */
final case class TranscriptCase(
    id: String,
    source: Option[String],
    timeUnit: TimeUnit,
    specJson: ObjectNode,
    steps: Seq[Step],
    atEnd: Option[AtEnd],
    refused: Option[String] = None) {

  /** What the case runs, checked as far as the core knows it, or why it cannot be. */
  lazy val operator: Either[Seq[SpecProblem], OperatorSpec] = OperatorSpec.read(specJson, timeUnit)
}

object TranscriptCase {

  /** As the file has it; empty for operators without a window of their own. */
  def windowKind(spec: JsonNode): String = spec.path("window").path("kind").asText
}

/** How a file writes its times. */
sealed abstract class TimeUnit(val name: String, val micros: Long)

object TimeUnit {
  case object Micros  extends TimeUnit("us", 1L)
  case object Millis  extends TimeUnit("ms", 1000L)
  case object Seconds extends TimeUnit("s", 1000000L)

  val All: Seq[TimeUnit] = Seq(Micros, Millis, Seconds)
}

sealed trait Step

object Step {

  /** Messages, then the watermark, then processing time; None means unchanged (before any, there is none).
    *
    * @param punctuation
    *   the marker of policy windows comes after the messages
    */
  final case class Feed(
      messages: Seq[Message],
      watermark: Option[Long] = None,
      processingTime: Option[Long] = None,
      expected: Expected = Expected.Anything,
      punctuation: Boolean = false) extends Step

  /** The operator goes away and comes back with what it had stored. */
  case object Restart extends Step

  /** @param expected
    *   None: not checked
    */
  final case class Ask(query: Query, expected: Option[Answer] = None) extends Step
}

/** @param isFinal
  *   the input is over, the watermark passes everything
  */
final case class AtEnd(isFinal: Boolean, expected: Expected = Expected.Anything)
