package windrow.core.time

/** The times by which the messages of a step are judged.
  *
  * @param before
  *   the watermark at the end of the previous step
  * @param processingTime
  *   processing time of the step, in microseconds; None before the first one is known
  */
private[windrow] final case class StepClock(before: Watermark, processingTime: Option[Long])
