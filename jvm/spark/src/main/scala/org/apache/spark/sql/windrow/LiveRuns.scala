package org.apache.spark.sql.windrow

import java.util.UUID
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{SparkSession, classic}
import scala.util.Try

/** A running query.
  *
  * @param checkpoint
  *   the folder of its checkpoint
  * @param isBusy
  *   whether rows wait for the running micro-batch
  * @param runsWithoutData
  *   whether Spark runs micro-batches without rows
  */
final case class LiveRun(
    session: SparkSession,
    plan: LogicalPlan,
    checkpoint: String,
    isBusy: Boolean,
    runsWithoutData: Boolean)

/** The queries that run in this driver, in all sessions. */
final class LiveRuns private (queries: () => java.util.Map[UUID, AnyRef]) {

  /** Returns a run of a query, if it is running here. */
  def get(id: UUID, runId: UUID): Option[LiveRun] = for {
    execution <- Option(queries().get(id))
    query = execution.asInstanceOf[StreamingQuery] if query.runId == runId
  } yield LiveRun(
    query.sparkSession,
    RunningQuery.analyzed(execution),
    RunningQuery.checkpointOf(execution),
    query.isActive && query.status.isDataAvailable,
    LiveRuns.conf(execution, query).forall(_.equalsIgnoreCase("true")))
}

object LiveRuns {
  private val NoData = "spark.sql.streaming.noDataMicroBatches.enabled"

  /** No queries: those of an event log have ended. */
  val None: LiveRuns = new LiveRuns(() => java.util.Map.of())

  def of(session: SparkSession): LiveRuns = {
    val shared = session.asInstanceOf[classic.SparkSession].sharedState
    new LiveRuns(() => shared.activeStreamingQueries.asInstanceOf[java.util.Map[UUID, AnyRef]])
  }

  /** Returns the setting that the query has copied at its start. */
  private def conf(execution: AnyRef, query: StreamingQuery): Option[String] = {
    val copied = Try(execution.getClass.getMethod("sparkSessionForStream").invoke(execution).asInstanceOf[SparkSession])
    copied.getOrElse(query.sparkSession).conf.getOption(NoData)
  }
}
