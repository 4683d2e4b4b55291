package windrow.testkit

import windrow.replay._

import scala.util.Random

/** The same case told otherwise; what comes out must be the same (SEMANTICS R1, R75). */
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

  /** The same messages in other steps: some are split, some are joined with the next one. Other panes may come out, but
    * with the same last values over the same accepted messages.
    */
  def cut(transcript: TranscriptCase, seed: Long): TranscriptCase = {
    val random = new Random(seed)
    val split = transcript.steps.flatMap {
      case feed: Step.Feed if random.nextBoolean() =>
        val (first, rest) = feed.messages.splitAt(random.nextInt(feed.messages.size + 1))
        Seq(Step.Feed(first), feed.copy(messages = rest))
      case other => Seq(other)
    }
    val joined = split.foldLeft(Vector.empty[Step]) {
      case (earlier :+ (last: Step.Feed), next: Step.Feed) if random.nextBoolean() =>
        earlier :+ Step.Feed(
          last.messages ++ next.messages,
          next.watermark.orElse(last.watermark),
          next.processingTime.orElse(last.processingTime))
      case (steps, next) => steps :+ next
    }
    transcript.copy(steps = joined)
  }

  /** The outcome as if nobody had restarted. */
  def withoutRestarts(outcome: Outcome): Outcome = outcome match {
    case ran: Outcome.Ran => ran.copy(results = ran.results.filter(_ != StepResult.Restarted))
    case other            => other
  }

  /** Smaller cases, for a search of the smallest that still fails: without a step, or without a message. */
  def smaller(transcript: TranscriptCase): Iterator[TranscriptCase] = {
    val steps = transcript.steps
    steps.zipWithIndex.iterator.flatMap { case (step, index) =>
      val without = Iterator(steps.patch(index, Nil, 1))
      without ++ withoutMessage(step).map(steps.updated(index, _))
    }.map(fewer => transcript.copy(steps = fewer))
  }

  private def withoutMessage(step: Step): Iterator[Step] = step match {
    case feed: Step.Feed =>
      feed.messages.indices.iterator.map(i => feed.copy(messages = feed.messages.patch(i, Nil, 1)))
    case _ => Iterator.empty
  }
}
