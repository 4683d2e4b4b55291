package windrow.replay

/** Any operator that transcripts can drive. */
private[windrow] trait StepwiseOperator {

  /** Applies the messages, then the watermark, then the processing time. None leaves the watermark or time unchanged.
    */
  def step(feed: Step.Feed): Emission

  /** Ends the input: the watermark passes all times. */
  def finish(): Emission

  /** Stops the operator and restarts it from its stored state. */
  def restart(): Unit

  def ask(query: Query): Answer
}

private[windrow] object StepwiseOperator {
  def run(transcript: TranscriptCase, operator: StepwiseOperator): Outcome.Ran = {
    val results = transcript.steps.map {
      case feed: Step.Feed => StepResult.Emitted(operator.step(feed))
      case Step.Restart =>
        operator.restart()
        StepResult.Restarted
      case Step.Ask(query, _) => StepResult.Answered(operator.ask(query))
    }
    Outcome.Ran(results, transcript.atEnd.filter(_.isFinal).map(_ => operator.finish()))
  }
}
