package windrow.testkit

/** Runs transcripts on the [[ReferenceOperator]]. A restart changes nothing: its log is all that it has. */
object ReferenceEngine extends Engine {
  def name: String = "reference"

  def run(transcript: TranscriptCase): Outcome = transcript.spec match {
    case Left(problems) => Outcome.Refused(problems)
    case Right(spec) =>
      val operator = new ReferenceOperator(spec, transcript.aggregates, transcript.fillGaps)
      val results = transcript.steps.map {
        case Step.Feed(messages, watermark, processingTime, _) =>
          StepResult.Emitted(operator.step(messages, watermark, processingTime))
        case Step.Restart        => StepResult.Restarted
        case Step.AskCounters(_) => StepResult.Counted(operator.counters)
      }
      Outcome.Ran(results, transcript.atEnd.filter(_.isFinal).map(_ => operator.finish()))
  }
}
