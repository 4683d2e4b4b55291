package windrow.spark.watermark

import windrow.spark.watermark.InputProgress.Seen

/** How far an input of a running query has advanced (SEMANTICS R107). All times are in milliseconds.
  *
  * @param delay
  *   how far the watermark stays behind the greatest event time
  * @param idle
  *   the processing time after which a silent partition no longer counts; None if it always counts
  * @param expected
  *   the number of partitions without which the watermark does not advance
  * @param began
  *   the processing time of the first micro-batch of the run
  * @param partitions
  *   the partitions that have had rows in this run. An input whose rows share one watermark has a single partition.
  */
private[spark] final case class InputProgress(
    delay: Long,
    idle: Option[Long],
    expected: Long,
    began: Long,
    partitions: Map[String, Seen] = Map.empty) {

  /** Adds the greatest event time of the rows of a partition in a micro-batch, whose processing time is `now`. */
  def see(partition: String, greatest: Long, now: Long): InputProgress = {
    val before = partitions.get(partition).fold(greatest)(seen => math.max(seen.greatest, greatest))
    copy(partitions = partitions.updated(partition, Seen(before, now)))
  }

  /** Whether nothing of the input holds back the watermark, because all of it has been silent for so long. */
  def isIdle(now: Long): Boolean = isOver(began, now) && live(now).isEmpty

  /** Returns the watermark of the input alone: the least of its live partitions. None if it is not known yet, because
    * an expected partition has not been seen, or if the input is idle.
    */
  def watermark(now: Long): Option[Long] =
    if (partitions.size < expected && !isOver(began, now)) None
    else live(now).map(_.greatest - delay).minOption

  private def live(now: Long): Iterable[Seen] = partitions.values.filterNot(seen => isOver(seen.at, now))

  private def isOver(since: Long, now: Long): Boolean = idle.exists(now - since >= _)
}

private[spark] object InputProgress {

  /** What is known of a partition.
    *
    * @param greatest
    *   the greatest event time
    * @param at
    *   the processing time of the last arrival
    */
  final case class Seen(greatest: Long, at: Long)

  /** Returns the watermark that an input reports to Spark, which uses the least of all inputs. An idle input reports
    * the least watermark of the others, so that it does not hold them back. None if it is not known.
    */
  def reported(input: InputProgress, others: Iterable[InputProgress], now: Long): Option[Long] =
    if (!input.isIdle(now)) input.watermark(now)
    else {
      val marks = others.filterNot(_.isIdle(now)).map(_.watermark(now))
      if (marks.forall(_.isDefined)) marks.flatten.minOption else None
    }
}
