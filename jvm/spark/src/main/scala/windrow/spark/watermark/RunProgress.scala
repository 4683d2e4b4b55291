package windrow.spark.watermark

import java.util.{Collections, UUID, WeakHashMap}
import org.apache.spark.sql.windrow.SparkInside

/** The progress of all inputs of one run of a query, on the driver. Tasks end in other threads than the one that
  * computes the watermark.
  *
  * @param began
  *   the processing time of the first micro-batch of the run, in milliseconds; see [[RunProgress.since]]
  */
private[spark] final class RunProgress(began: Long) {
  private var inputs = Map.empty[UUID, InputProgress]

  /** The processing time of the present micro-batch, in milliseconds. */
  private var now = began

  /** Adds an input, unless an earlier micro-batch has added it. */
  def add(input: UUID, delay: Long, rule: WatermarkRule): Unit = synchronized {
    if (!inputs.contains(input)) inputs += input -> rule.start(delay, began)
  }

  def see(input: UUID, partition: String, greatest: Long): Unit = synchronized {
    inputs = inputs.updated(input, inputs(input).see(partition, greatest, now))
  }

  /** Returns the watermark that an input reports, as [[InputProgress.reported]], and its delay.
    *
    * @throws SpecError
    *   if the input has too many partitions
    */
  def reported(input: UUID): (Option[Long], Long) = synchronized {
    val one = inputs(input)
    EventWatermark.checkPartitions(one.partitions.size)
    (InputProgress.reported(one, (inputs - input).values, now), one.delay)
  }

  private[watermark] def at(processingTime: Long): RunProgress = synchronized {
    now = math.max(processingTime, began)
    this
  }
}

private[spark] object RunProgress {
  private val runs = Collections.synchronizedMap(new WeakHashMap[AnyRef, RunProgress])

  /** Returns the progress of the run that plans a micro-batch in this thread. A restarted query is another run, so it
    * does not know any partition yet. The plan of a query that does not run has a progress of its own.
    */
  def planning: RunProgress = {
    val now = SparkInside.processingTime.fold(0L)(_ / 1000)
    SparkInside.planning.fold(new RunProgress(now))(run =>
      runs.computeIfAbsent(run, _ => since(now, SparkInside.clock(run))).at(now))
  }

  /** Returns the progress of a run that begins. A repeated micro-batch has the processing time of its first attempt,
    * which can be long before the run, so the clock of the run counts if it is later.
    *
    * @param processingTime
    *   of the first micro-batch that the run plans
    * @param clock
    *   the time of the run's clock; None if it is unknown
    */
  private[watermark] def since(processingTime: Long, clock: Option[Long]): RunProgress =
    new RunProgress(clock.fold(processingTime)(math.max(processingTime, _)))
}
