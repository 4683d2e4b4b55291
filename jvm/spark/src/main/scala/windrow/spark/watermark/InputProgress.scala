package windrow.spark.watermark

import windrow.spark.watermark.InputProgress.PartitionStatus

/** How far an input of a running query has advanced (SEMANTICS R107). All times are in milliseconds.
  *
  * @param delay
  *   how far the watermark stays behind the greatest event time
  * @param idle
  *   the processing time after which a silent partition no longer counts; None if it always counts
  * @param expected
  *   the number of partitions without which the watermark does not advance
  * @param began
  *   the processing time of the first micro-batch of the run, but not before the run
  * @param partitions
  *   the partitions that have had rows in this run. An input whose rows share one watermark has a single partition.
  * @param announced
  *   the greatest time that a test has announced for all partitions (SEMANTICS R173)
  */
private[spark] final case class InputProgress(
    delay: Long,
    idle: Option[Long],
    expected: Long,
    began: Long,
    partitions: Map[String, PartitionStatus] = Map.empty,
    announced: Option[PartitionStatus] = None) {

  /** Adds the greatest event time of the rows of a partition in a micro-batch, whose processing time is `now`. */
  def see(partition: String, greatest: Long, now: Long): InputProgress = {
    def seen(before: Option[PartitionStatus]) =
      PartitionStatus(before.fold(greatest)(one => math.max(one.greatest, greatest)), now)
    if (partition == InputProgress.Announced) copy(announced = Some(seen(announced)))
    else copy(partitions = partitions.updated(partition, seen(partitions.get(partition))))
  }

  /** Whether nothing of the input holds back the watermark, because all of it has been silent for so long. */
  def isIdle(now: Long): Boolean = isOver(began, now) && (partitions.values ++ announced).forall(isOver(_, now))

  /** Returns the watermark of the input alone: the least of its live partitions, but at least the announced time. None
    * if it is not known yet, because an expected partition has not been seen, or if the input is idle.
    */
  def watermark(now: Long): Option[Long] = {
    val live  = partitions.values.filterNot(isOver(_, now))
    val least = live.map(_.greatest).minOption.filterNot(_ => partitions.size < expected && !isOver(began, now))
    (least ++ announced.map(_.greatest)).maxOption.map(_ - delay)
  }

  private def isOver(seen: PartitionStatus, now: Long): Boolean = isOver(seen.at, now)

  private def isOver(since: Long, now: Long): Boolean = idle.exists(now - since >= _)
}

private[spark] object InputProgress {

  /** Stands for all partitions, if a test announces a watermark. */
  val Announced = "\u0000announced"

  /** What is known of a partition.
    *
    * @param greatest
    *   the greatest event time
    * @param at
    *   the processing time of the last arrival
    */
  final case class PartitionStatus(greatest: Long, at: Long)

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
