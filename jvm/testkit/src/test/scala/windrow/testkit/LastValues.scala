package windrow.testkit

import windrow._
import windrow.replay._

/** The last value of each live window: panes minus retractions. */
private[testkit] object LastValues {

  /** The identity of a window: its key, and its message if it has one, otherwise its bounds. */
  type Window = (Scalar, Any)

  def window(pane: Emission.ContentPane): Window = pane.value match {
    case Content.Values(_, Some(message)) => (pane.key, message)
    case _                                => (pane.key, (pane.start, pane.end))
  }

  def of(outcome: Outcome, id: String): Map[Window, Content] =
    panes(outcome, id).foldLeft(Map.empty[Window, Content])((live, pane) =>
      if (pane.isRetraction) live - window(pane) else live + (window(pane) -> pane.value))

  def panes(outcome: Outcome, id: String): Seq[Emission.ContentPane] = emissions(outcome, id).flatMap(_.panes)

  def emissions(outcome: Outcome, id: String): Seq[Emission] = outcome match {
    case Outcome.Ran(results, atEnd) => results.collect { case StepResult.Emitted(emission) => emission } ++ atEnd
    case other                       => throw new AssertionError(s"$id: $other")
  }

  /** Returns the case with another spec, with an end of the input, and with a count among its aggregates. */
  def withSpec(transcript: TranscriptCase)(change: WindowOperatorDraft => WindowOperatorDraft): TranscriptCase =
    transcript.operator match {
      case Right(OperatorSpec.Aggregate(spec, aggregates)) =>
        transcript.copy(
          specJson = RandomCase.json(change(spec.draft), ("n" -> "count") +: aggregates),
          atEnd = Some(AtEnd(isFinal = true)))
      case other => throw new AssertionError(s"${transcript.id}: $other")
    }

  /** Returns the case with a spec that accepts every message. */
  def accepting(transcript: TranscriptCase): TranscriptCase = withSpec(transcript)(draft =>
    draft.copy(
      lateness = Some(draft.window match {
        case Sliding(_, granularity) => TimeSpan(granularity.micros * 100000000000000L)
        case _                       => TimeSpan(1000000000000000L)
      }),
      maxFuture = None,
      retention = Retention.NotStated,
      accumulation = Some(Accumulating),
      onTime = true))
}
