package windrow.testkit

import com.fasterxml.jackson.databind.node.ObjectNode
import windrow.{Pane, Reason, SpecJson, SpecProblem, WindowOperatorSpec}

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
    aggregates: Seq[(String, String)],
    fillGaps: Boolean,
    steps: Seq[Step],
    atEnd: Option[AtEnd],
    refused: Option[String] = None) {

  /** The checked spec without its aggregates, or why there is none. */
  lazy val spec: Either[Seq[SpecProblem], WindowOperatorSpec] = {
    val plain = specJson.deepCopy
    plain.remove("fill_gaps") // stands in `fillGaps`: specs cannot say it yet
    SpecJson.read(plain, Map("time_unit" -> timeUnit.name)).flatMap(_.check)
  }
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

  /** Messages, then the watermark, then processing time; None means unchanged (before any, there is none). */
  final case class Feed(
      messages: Seq[Message],
      watermark: Option[Long] = None,
      processingTime: Option[Long] = None,
      expected: Expected = Expected.Anything) extends Step

  /** The operator goes away and comes back with what it had stored. */
  case object Restart extends Step

  /** @param expected
    *   those named are compared
    */
  final case class AskCounters(expected: Map[String, Long] = Map.empty) extends Step
}

/** @param isFinal
  *   the input is over, the watermark passes everything
  */
final case class AtEnd(isFinal: Boolean, expected: Expected = Expected.Anything)

/** One input message.
  *
  * @param key
  *   None: the null key
  * @param time
  *   event time, None: null
  * @param gap
  *   the session gap that the message brings
  */
final case class Message(
    key: Option[String],
    time: Option[Long],
    value: Long,
    partition: Option[Int] = None,
    offset: Option[Long] = None,
    gap: Option[Long] = None) {

  /** What makes a replay of it recognisable (SEMANTICS R13). */
  def identity: Option[(Int, Long)] = partition.zip(offset)
}

object Message {

  /** The order in which the messages of one step are applied (SEMANTICS T). */
  val Order: Ordering[Message] =
    Ordering.by(m => (m.time, m.partition, m.offset, (m.key, m.value, m.gap)))
}

final case class RejectedMessage(key: Option[String], time: Option[Long], value: Long, reason: Reason)

/** What came out of one step. */
final case class Emission(panes: Seq[Emission.ValuePane], rejected: Seq[RejectedMessage]) {
  def asExpected: Expected = Expected(Some(panes.sortBy(pane => (pane.key, pane.start, pane.end))), Some(rejected))
}

object Emission {
  type ValuePane = Pane[Option[String], Map[String, Value]]

  val Nothing: Emission = Emission(Nil, Nil)
}

/** What must come out of one step; None is not checked. */
final case class Expected(panes: Option[Seq[Emission.ValuePane]], rejected: Option[Seq[RejectedMessage]])

object Expected {
  val Anything: Expected = Expected(None, None)
}
