package windrow.testkit

import windrow.replay._

import scala.util.Random

/** Watermarks that are set back: some come earlier than those before. */
object Backwards {
  def apply(transcript: TranscriptCase): TranscriptCase = {
    val random = new Random(transcript.id.hashCode.toLong + 1)
    transcript.copy(steps = transcript.steps.map {
      case feed: Step.Feed if random.nextInt(6) == 0 =>
        feed.copy(watermark = feed.watermark.map(_ - random.nextInt(1 << random.nextInt(24))))
      case other => other
    })
  }
}
