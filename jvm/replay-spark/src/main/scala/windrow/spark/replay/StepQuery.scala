package windrow.spark.replay

import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.windrow.QueryClock
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import scala.collection.mutable
import windrow.replay._
import windrow.spark.query.StateReader

/** Runs a streaming query step by step. A step is one micro-batch, and its watermark applies to the next one. */
private[replay] final class StepQuery(
    session: SparkSession,
    operator: StepOperator,
    input: StepInput,
    clock: QueryClock,
    checkpoint: String) {
  private val collected   = mutable.ArrayBuffer.empty[Row]
  private val counted     = mutable.HashMap.empty[String, Long].withDefaultValue(0L)
  private lazy val output = input.marked(operator.output(input))
  private var query       = Option.empty[StreamingQuery]

  /** Processes the rows of a step. `mark` is the watermark of this step, `next` that of the following step, in
    * milliseconds.
    */
  def step(feed: Step.Feed, mark: Long, next: Long): Emission = {
    if (query.isEmpty) {
      query = Some(start())
      run(Seq(InputRow.watermark(mark)))
    }
    clock.moveTo(feed.processingTime.map(_ / 1000), if (operator.restsInTime) 0 else 1)
    advance(operator.rows(feed), next)
  }

  /** Advances the watermark, which was announced, past everything. */
  def finish(end: Long): Emission = {
    clock.moveTo(None, least = 1)
    advance(Nil, end)
  }

  def restart(): Unit = query.foreach { running =>
    running.stop()
    query = Some(start())
  }

  def ask(asked: Query): Answer = (asked, operator) match {
    case (Query.Counters, _)  => Answer.Counters(counted.toMap + ("filtered" -> 0L))
    case (_, operator: Asked) => operator.ask(asked, query.map(_ => new StateReader(session, checkpoint, None)))
    case _                    => Answer.Refused("NO_MESSAGE_STORE")
  }

  def close(): Unit = query.foreach(_.stop())

  private def advance(messages: Seq[InputRow], next: Long): Emission = {
    collected.clear()
    run(InputRow.watermark(next) +: messages)
    val byKind = collected.toSeq.groupBy(_.getAs[String]("kind"))
    operator.emission(kind => byKind.getOrElse(kind, Nil).map(_.getAs[Row](kind)))
  }

  private def run(batch: Seq[InputRow]): Unit = {
    input.add(batch)
    query.get.processAllAvailable()
    query.get.lastProgress.observedMetrics.forEach { (_, counts) =>
      if (counts.schema.fieldNames.contains("accepted"))
        Seq("accepted", "rejected", "duplicates", "gaps").foreach(name => counted(name) += counts.getAs[Long](name))
    }
  }

  private def start(): StreamingQuery = {
    val started = output.writeStream.option("checkpointLocation", checkpoint)
      .foreachBatch { (batch: DataFrame, _: Long) =>
        collected ++= batch.toDF().collect() // `batch` itself uses the settings of the thread that runs the replay
        ()
      }.start()
    clock.rule(started)
    started
  }
}
