package windrow.testkit

import scala.util.Random
import windrow.replay._

/** The same case in other forms that must give the same output (SEMANTICS R1, R75). */
object Recut {

  /** Shuffles the messages inside each step. */
  def shuffled(transcript: TranscriptCase, seed: Long): TranscriptCase = {
    val random = new Random(seed)
    transcript.copy(steps = transcript.steps.map {
      case feed: Step.Feed => feed.copy(messages = random.shuffle(feed.messages))
      case other           => other
    })
  }

  /** Restarts after every step. The outcome then has an additional result for each restart: see [[withoutRestarts]]. */
  def restarted(transcript: TranscriptCase): TranscriptCase =
    transcript.copy(steps = transcript.steps.flatMap(Seq(_, Step.Restart)))

  /** Divides the same messages into other steps: some steps are split, some are joined with the next one. The panes may
    * differ, but not the last values over the same accepted messages.
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

  /** Removes the results of restarts from an outcome. */
  def withoutRestarts(outcome: Outcome): Outcome = outcome match {
    case ran: Outcome.Ran => ran.copy(results = ran.results.filter(_ != StepResult.Restarted))
    case other            => other
  }

  /** Returns smaller cases for a search of the smallest that still fails: each lacks one step or one message. */
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
