package windrow.testkit

/** Runs transcripts on the [[ReferenceOperator]]. A restart changes nothing: its log is all that it has. */
object ReferenceEngine extends Engine {
  def name: String = "reference"

  def run(transcript: TranscriptCase): Outcome = transcript.operator match {
    case Left(problems) => Outcome.Refused(problems)
    case Right(OperatorSpec.Aggregate(spec, aggregates)) =>
      StepwiseOperator.run(transcript, new ReferenceOperator(spec, ReferenceOperator.values(aggregates)))
    case Right(OperatorSpec.CoGroup(spec)) =>
      StepwiseOperator.run(transcript, new ReferenceOperator(spec.window, ReferenceOperator.byStream(spec.streams)))
    case Right(OperatorSpec.FullState(spec)) => StepwiseOperator.run(transcript, new ReferenceFullState(spec))
    case Right(OperatorSpec.Join(spec))      => StepwiseOperator.run(transcript, new ReferenceJoin(spec))
    case Right(other)                        => Outcome.NotRun(s"The reference cannot do ${other.name} yet.")
  }
}
