package windrow.testkit

import scala.util.Random
import windrow.replay._

/** Sets watermarks or clocks of a case to wrong values: some are earlier than the ones before them. */
object Backwards {
  def apply(transcript: TranscriptCase): TranscriptCase = {
    val random  = new Random(transcript.id.hashCode.toLong + 1)
    val isClock = random.nextInt(3) == 0
    var ahead   = 0L
    def some()  = random.nextInt(1 << random.nextInt(24)).toLong
    def set(now: Long): Long = {
      if (isClock && random.nextBoolean()) ahead += (if (random.nextBoolean()) some() else -some())
      now + ahead
    }
    transcript.copy(steps = transcript.steps.map {
      case feed: Step.Feed =>
        val watermark = if (random.nextInt(6) == 0) feed.watermark.map(_ - some()) else feed.watermark
        feed.copy(watermark = watermark, processingTime = feed.processingTime.map(set))
      case other => other
    })
  }
}
