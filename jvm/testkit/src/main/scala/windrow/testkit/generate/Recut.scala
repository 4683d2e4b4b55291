package windrow.testkit

import scala.util.Random

/** The same case told otherwise; what comes out must be the same (RULES R1, R75). */
object Recut {

  /** Another order of the messages inside each step. */
  def shuffled(transcript: TranscriptCase, seed: Long): TranscriptCase = {
    val random = new Random(seed)
    transcript.copy(steps = transcript.steps.map {
      case feed: Step.Feed => feed.copy(messages = random.shuffle(feed.messages))
      case other           => other
    })
  }

  /** A restart after every step. The outcome has one result more for each: see [[withoutRestarts]]. */
  def restarted(transcript: TranscriptCase): TranscriptCase =
    transcript.copy(steps = transcript.steps.flatMap(Seq(_, Step.Restart)))

  /** The outcome as if nobody had restarted. */
  def withoutRestarts(outcome: Outcome): Outcome = outcome match {
    case ran: Outcome.Ran => ran.copy(results = ran.results.filter(_ != StepResult.Restarted))
    case other            => other
  }

  /** The case with what really came out as what is expected. */
  def expecting(transcript: TranscriptCase, outcome: Outcome): TranscriptCase =
    TranscriptReader.read(TranscriptWriter.write(transcript, outcome))

  /** Smaller cases, for a search of the smallest that still fails: without a step, or without a message. */
  def smaller(transcript: TranscriptCase): Iterator[TranscriptCase] =
    transcript.steps.indices.iterator.flatMap { index =>
      val (before, step +: after) = transcript.steps.splitAt(index)
      def replaced(steps: Seq[Step]) = transcript.copy(steps = before ++ steps ++ after)
      Iterator(replaced(Nil)) ++ (step match {
        case feed: Step.Feed =>
          feed.messages.indices.iterator.map(i => replaced(Seq(feed.copy(messages = feed.messages.patch(i, Nil, 1)))))
        case _ => Iterator.empty
      })
    }
}
