package windrow.testkit

/** Runs transcripts on the [[ReferenceOperator]]. A restart changes nothing: its log is all that it has. */
object ReferenceEngine extends Engine {
  def name: String = "reference"

  def run(transcript: TranscriptCase): Outcome = transcript.operator match {
    case Left(problems) => Outcome.Refused(problems)
    case Right(OperatorSpec.Aggregate(spec, _)) if CoreLimits.hindrance(spec).isDefined =>
      Outcome.NotRun(s"The reference cannot do ${spec.window} yet.")
    case Right(OperatorSpec.Aggregate(spec, aggregates)) =>
      val operator = new ReferenceOperator(spec, aggregates)
      val results = transcript.steps.map {
        case feed: Step.Feed =>
          StepResult.Emitted(operator.step(feed.messages, feed.watermark, feed.processingTime))
        case Step.Restart                => StepResult.Restarted
        case Step.Ask(Query.Counters, _) => StepResult.Answered(Answer.Counters(operator.counters))
        case Step.Ask(_, _)              => StepResult.Answered(Answer.Refused("NO_MESSAGE_STORE"))
      }
      Outcome.Ran(results, transcript.atEnd.filter(_.isFinal).map(_ => operator.finish()))
    case Right(other) => Outcome.NotRun(s"The reference cannot do ${other.name} yet.")
  }
}
