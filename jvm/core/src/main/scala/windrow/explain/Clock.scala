package windrow.explain

import windrow.TimeSpan

/** The source of a query's watermark. */
sealed abstract class Clock(override val toString: String) {

  /** Describes it as that of one of several inputs. */
  private[explain] def of(input: String): String = s"'$input' $this"
}

object Clock {

  /** @param watermark
    *   delay of a watermark set by Windrow: the greatest event time minus this
    * @param behind
    *   delay of a watermark that is the processing time minus this
    */
  def apply(watermark: Option[TimeSpan], behind: Option[TimeSpan]): Clock =
    behind.map(ProcessingClock(_)).orElse(watermark.map(EventClock(_))).getOrElse(InputClock)

  case object InputClock extends Clock("as defined by the DataFrame")

  /** @param idle
    *   the time without rows after which the input no longer counts, if it is one of several
    */
  final case class EventClock(delay: TimeSpan, idle: Option[TimeSpan] = None)
      extends Clock(s"greatest event time minus $delay") {
    private[explain] override def of(input: String): String =
      s"greatest event time of '$input' minus $delay" +
        idle.fold("")(span => s" (it does not count after $span without rows)")
  }

  /** The watermark of an input whose partitions have one each. A partition without rows for `idle` does not count. */
  final case class PartitionClock(delay: TimeSpan, idle: Option[TimeSpan]) extends Clock(
        s"greatest event time of the slowest partition minus $delay" +
          idle.fold("")(span => s", without partitions that have had no rows for $span")) {
    private[explain] override def of(input: String): String =
      s"greatest event time of the slowest partition of '$input' minus $delay" +
        idle.fold("")(span => s" (a partition does not count after $span without rows)")
  }

  final case class ProcessingClock(delay: TimeSpan) extends Clock(s"processing time minus $delay")
}
