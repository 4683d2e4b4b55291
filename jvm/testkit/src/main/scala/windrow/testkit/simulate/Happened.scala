package windrow.testkit

import scala.collection.mutable
import windrow.Reason
import windrow.replay._

/** Counts the wrong clocks, watermarks and messages that a case itself contains. */
private[testkit] object Happened {
  private val FarAhead = 1000L // microseconds; steps are about 20 apart

  /** @param expected
    *   the case with the results of the reference
    * @param tellings
    *   how often the case is run. Its faults are counted once, but its event time once for each run.
    */
  def count(expected: TranscriptCase, tellings: Int, counts: SimulationCounts): Unit = {
    val feeds = expected.steps.collect { case feed: Step.Feed => feed }
    val times = feeds.flatMap(_.watermark)
    if (times.nonEmpty) counts.simulated += (times.max - times.min).toDouble * tellings
    var watermark, clock, latest = Option.empty[Long]
    val seen                     = mutable.HashSet.empty[(Option[String], Int, Long)]
    feeds.foreach { feed =>
      latest = (latest ++ feed.messages.flatMap(_.time)).maxOption
      feed.watermark.foreach { now =>
        if (watermark.exists(_ > now)) counts.hit(FaultPoint.WatermarkBack)
        if (latest.exists(_ < now)) counts.hit(FaultPoint.WatermarkAhead)
        watermark = (watermark ++ feed.watermark).maxOption
      }
      feed.processingTime.foreach { now =>
        if (clock.exists(_ > now)) counts.hit(FaultPoint.ClockBack)
        if (clock.exists(_ < now - FarAhead)) counts.hit(FaultPoint.ClockAhead)
        clock = Some(now)
      }
      counts.hit(FaultPoint.Duplicate, feed.messages.flatMap(_.identity).count(!seen.add(_)).toLong)
      feed.expected.rejected.toSeq.flatten.foreach(one => Reasons.get(one.reason).foreach(counts.hit(_)))
    }
  }

  private val Reasons: Map[Reason, FaultPoint] = Map(
    Reason.TooLate        -> FaultPoint.Late,
    Reason.OutOfRetention -> FaultPoint.Late,
    Reason.TooFarAhead    -> FaultPoint.Future,
    Reason.InvalidTime    -> FaultPoint.Broken)
}
