package windrow.spark.watermark

import java.util.{Collections, UUID}
import org.apache.spark.sql.SparkSession

/** The progress of all inputs of one run of a query, on the driver. Tasks end in other threads than the one that
  * computes the watermark.
  */
private[spark] final class RunProgress(clock: () => Long = () => System.currentTimeMillis) {
  private val began  = clock()
  private var inputs = Map.empty[UUID, InputProgress]

  /** Adds an input, unless an earlier micro-batch has added it. */
  def add(input: UUID, delay: Long, rule: WatermarkRule): Unit = synchronized {
    if (!inputs.contains(input)) inputs += input -> InputProgress(delay, rule.idle, rule.partitions.getOrElse(1), began)
  }

  def see(input: UUID, partition: String, greatest: Long): Unit = synchronized {
    inputs = inputs.updated(input, inputs(input).see(partition, greatest, clock()))
  }

  /** Returns the watermark that an input reports, as [[InputProgress.reported]], and its delay. */
  def reported(input: UUID): (Option[Long], Long) = synchronized {
    val one = inputs(input)
    (InputProgress.reported(one, (inputs - input).values, clock()), one.delay)
  }
}

private[spark] object RunProgress {
  private val Most = 1000

  /** Spark runs the jobs of a query in a group with the ID of the run. */
  private val RunId = "spark.jobGroup.id"

  private val runs = Collections.synchronizedMap(new java.util.LinkedHashMap[String, RunProgress](16, 0.75f, true) {
    override def removeEldestEntry(eldest: java.util.Map.Entry[String, RunProgress]): Boolean = size > Most
  })

  /** Returns the progress of the run that plans a micro-batch in this thread. A restarted query is another run, so it
    * does not know any partition yet. The plan of a query that does not run has a progress of its own.
    */
  def current(session: SparkSession): RunProgress =
    Option(session.sparkContext.getLocalProperty(RunId)).fold(new RunProgress())(of)

  /** Returns the progress of a run. */
  def of(run: String): RunProgress = runs.computeIfAbsent(run, _ => new RunProgress())
}
