package windrow.core.time

/** What the messages of a step are judged by.
  *
  * @param before
  *   the watermark at the end of the step before
  * @param processingTime
  *   of the step, in microseconds; None before the first
  */
private[windrow] final case class StepClock(before: Watermark, processingTime: Option[Long])
