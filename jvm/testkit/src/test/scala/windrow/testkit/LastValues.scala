package windrow.testkit

import windrow.replay._

import windrow._

/** One row for each live window: panes less retractions, the last of each. */
private[testkit] object LastValues {

  /** A window is its key and its bounds; where it has one, its message. */
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

  /** The case with another spec, to its end, and with a count among its aggregates. */
  def withSpec(transcript: TranscriptCase)(change: WindowOperatorDraft => WindowOperatorDraft): TranscriptCase =
    transcript.operator match {
      case Right(OperatorSpec.Aggregate(spec, aggregates)) =>
        transcript.copy(
          specJson = RandomCase.json(change(spec.draft), ("n" -> "count") +: aggregates),
          atEnd = Some(AtEnd(isFinal = true)))
      case other => throw new AssertionError(s"${transcript.id}: $other")
    }

  /** Every message is accepted. */
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
