package windrow.spark

import java.util.concurrent.locks.ReentrantLock
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.windrow.SparkInside
import org.slf4j.LoggerFactory
import scala.annotation.nowarn
import scala.util.control.NonFatal
import windrow.SpecProblem
import windrow.spark.output.OutputKind
import windrow.spark.running.{BoundedInput, EndOfRun, ResumeCheck, RunOptions}
import windrow.spark.sinks.{BatchWriter, PaneTraits, QuerySinks, Sink, SinkCheck, SinkClaim}

/** Starts one query that writes each kind of rows to its sink. */
private[spark] object QueryStart {
  private val NoData = "spark.sql.streaming.noDataMicroBatches.enabled"

  /** Held by every start, because a start may change a setting of the session. */
  private[spark] val starting = new ReentrantLock

  /** The trigger of queries with periods if none is set. By default, Spark would start one empty micro-batch after
    * another.
    */
  private val Pace = Trigger.ProcessingTime("1 second")

  /** Checks the sinks and the checkpoint, then starts the query. Without a sink for rejected rows the query does not emit
    * them.
    *
    * @param part
    *   plans the output again, because settings of the session may have changed
    * @param sinks
    *   the sinks by kind; rows of a kind without a sink are only counted
    */
  def apply(
      part: OutputKind => DataFrame,
      sinks: Seq[(String, Option[Sink])],
      how: RunOptions,
      panes: PaneTraits = PaneTraits()): StreamingQuery = {
    val hasRejected = sinks.exists { case (kind, sink) => kind == "rejected" && sink.isDefined }
    val output      = part(if (hasRejected) OutputKind.All else OutputKind.Accepted)
    val session     = output.sparkSession
    val plan        = SparkInside.plan(output)
    val all         = QuerySinks(sinks)
    val warnings    = SinkCheck(session, plan, all, panes, how, ofEnd(how))
    warnings.foreach(LoggerFactory.getLogger(getClass).warn(_))
    val hasPeriods   = ResumeCheck.hasPeriods(plan)
    val endsWithData = how.isBounded && hasPeriods
    def run(id: String)(rows: DataFrame, trigger: Option[Trigger]): StreamingQuery = {
      val batches = new BatchWriter(all.of(id, how.checkpoint))
      val writer = rows.writeStream.option("checkpointLocation", how.checkpoint)
        .foreachBatch((batch: DataFrame, number: Long) => batches.write(batch, number))
      how.name.foreach(writer.queryName)
      trigger.foreach(writer.trigger)
      endingWithData(output, endsWithData)(writer.start())
    }
    val claim   = new SinkClaim(session, how.checkpoint, all)
    val missing = claim.missing
    try {
      val id = claim.take(plan, how.drain)
      if (how.drain) {
        val end = new EndOfRun(session, how.checkpoint)
        runToEnd(SparkInside.frame(session, BoundedInput(session, plan, end.folder)), end, how, run(id))
      } else run(id)(output, how.trigger.orElse(Option.when(hasPeriods)(Pace)))
    } catch {
      case NonFatal(failed) =>
        claim.giveBack(missing)
        throw failed
    }
  }

  /** Runs a query to the end of its input. `AvailableNow` reads only the input that existed at its start. The last
    * micro-batch reads the input that arrived since then: it runs with `Once`, which ignores the limits of a source. If
    * the first run was stopped, the end is not marked.
    */
  @nowarn("cat=deprecation")
  private def runToEnd(
      rows: DataFrame,
      end: EndOfRun,
      how: RunOptions,
      run: (DataFrame, Option[Trigger]) => StreamingQuery): StreamingQuery = {
    val first = Option.unless(end.isSignaled)(run(rows, how.trigger))
    first.foreach(_.awaitTermination())
    first.filterNot(_ => end.signal()).getOrElse(run(rows, Some(Trigger.Once())))
  }

  private def ofEnd(how: RunOptions): Seq[SpecProblem] = Option.when(how.drain && !how.isBounded)(SpecProblem(
    "DRAIN_WITHOUT_END",
    "trigger" -> how.trigger.fold("not set")(_.toString))).toSeq

  /** Turns off micro-batches without data while a bounded query with periods starts, because such a query would never
    * end otherwise. The setting belongs to the session, so a lock lets only one query start at a time: no other start
    * sees the setting.
    */
  private def endingWithData[T](output: DataFrame, needed: Boolean)(start: => T): T = {
    val conf = output.sparkSession.conf
    starting.lock()
    try {
      val before = conf.get(NoData)
      if (needed) conf.set(NoData, "false")
      try start
      finally if (needed) conf.set(NoData, before)
    } finally starting.unlock()
  }
}
