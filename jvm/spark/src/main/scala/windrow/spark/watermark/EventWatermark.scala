package windrow.spark.watermark

import windrow.explain.Clock
import windrow.{SpecError, SpecProblem, TimeSpan}

/** A watermark that Windrow sets on an input.
  *
  * @param delay
  *   how far it stays behind the greatest event time
  * @param idle
  *   the processing time after which a silent input, or a silent partition of it, no longer holds the watermark back
  * @param partitions
  *   how many partitions the input has, if each of them has a watermark of its own
  */
private[spark] final case class EventWatermark(
    delay: TimeSpan,
    idle: Option[TimeSpan] = None,
    partitions: Option[Long] = None) {

  /** Describes it in explanations. */
  def clock: Clock = if (partitions.isDefined) Clock.PartitionClock(delay, idle) else Clock.EventClock(delay, idle)
}

private[spark] object EventWatermark {

  /** The most partitions of an input. The driver stores the greatest event time of each. */
  val Most = 10000

  /** Fails if an input has had rows of too many partitions.
    *
    * @throws SpecError
    *   with the reason
    */
  def checkPartitions(count: Int): Unit =
    if (count > Most) throw SpecError("watermark_by", Seq(tooMany(count)))

  /** Returns the problem of a watermark that would be ahead of the rows or of the clock. */
  def negative(name: String, delay: Option[TimeSpan]): Option[SpecProblem] =
    delay.filter(_.micros < 0).map(span => SpecProblem("WATERMARK_NEGATIVE", "name" -> name, "value" -> span))

  private def tooMany(count: Any) = SpecProblem("WATERMARK_PARTITIONS_COUNT", "value" -> count, "most" -> Most)

  /** Combines the settings of a watermark, which are set separately in SQL and Scala.
    *
    * @param isByPartition
    *   whether a column with the partition of each row is set
    * @return
    *   the problems, and the watermark, if one is set
    */
  def of(
      delay: Option[TimeSpan],
      idle: Option[TimeSpan],
      isByPartition: Boolean,
      partitions: Option[Long]): (Seq[SpecProblem], Option[EventWatermark]) = {
    val alone = Seq("idle" -> idle.isDefined, "watermark_by" -> isByPartition).collect {
      case (name, true) if delay.isEmpty =>
        SpecProblem("WATERMARK_SETTING_ALONE", "name" -> name, "other" -> "watermark")
    }
    val found = alone ++ negative("watermark", delay) ++
      idle.filter(_.micros <= 0).map(span => SpecProblem("IDLE_NOT_POSITIVE", "value" -> span)) ++
      partitions.filterNot(_ => isByPartition).map(_ =>
        SpecProblem("WATERMARK_SETTING_ALONE", "name" -> "watermark_partitions", "other" -> "watermark_by")) ++
      partitions.filter(count => count < 1 || count > Most).map(tooMany)
    (found, delay.map(EventWatermark(_, idle, if (isByPartition) partitions.orElse(Some(1L)) else None)))
  }
}
