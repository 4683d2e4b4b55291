package windrow.replay

import windrow.Keep

/** Runs transcripts on the slow references. A restart changes nothing, because their logs are their only state. */
object ReferenceEngine extends Engine {
  def name: String = "reference"

  def run(transcript: TranscriptCase): Outcome = transcript.operator match {
    case Left(problems) => Outcome.Refused(problems)
    case Right(OperatorSpec.Aggregate(spec, aggregates)) =>
      StepwiseOperator.run(transcript, new ReferenceOperator(spec, ReferencePanes.values(aggregates)))
    case Right(OperatorSpec.CoGroup(spec)) =>
      StepwiseOperator.run(transcript, new ReferenceOperator(spec.window, ReferencePanes.byStream(spec.streams)))
    case Right(OperatorSpec.FullState(spec)) => StepwiseOperator.run(transcript, new ReferenceFullState(spec))
    case Right(OperatorSpec.Join(spec))      => StepwiseOperator.run(transcript, new ReferenceJoin(spec))
    case Right(OperatorSpec.Dedup(spec)) =>
      StepwiseOperator.run(
        transcript,
        if (spec.keep == Keep.First) new ReferenceDedup(spec) else new ReferenceLast(spec))
    case Right(policy: OperatorSpec.Policy) =>
      policy.spec(transcript.timeUnit).fold(
        Outcome.Refused(_),
        new ReferencePolicyWindows(_, ReferencePanes.values(OperatorSpec.aggregates(policy.json))).run(transcript))
  }
}
