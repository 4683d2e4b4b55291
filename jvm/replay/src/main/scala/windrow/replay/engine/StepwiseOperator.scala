package windrow.replay

/** An operator as transcripts drive it, whatever it is. */
private[windrow] trait StepwiseOperator {

  /** Messages, then the watermark, then processing time; None leaves it as it is. */
  def step(feed: Step.Feed): Emission

  /** The input is over: the watermark passes everything. */
  def finish(): Emission

  /** It goes away and comes back with what it had stored. */
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
