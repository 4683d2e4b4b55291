package org.apache.spark.sql.windrow

import java.util.UUID
import org.apache.spark.sql.execution.ui.{SQLAppStatusStore, StreamingQueryStatusStore}
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.util.kvstore.KVStore

/** A run of a streaming query, as Spark's UI stores it. Times are in milliseconds.
  *
  * @param name
  *   the name of the query, if it has one
  * @param error
  *   the error that ended the run, with its stack trace
  * @param progress
  *   the progress of the last micro-batches, the oldest first
  */
final case class StoredRun(
    name: Option[String],
    id: UUID,
    runId: UUID,
    isActive: Boolean,
    error: Option[String],
    start: Long,
    end: Option[Long],
    progress: Seq[StreamingQueryProgress])

/** The runs in the store of Spark's UI, which keeps the last `spark.sql.streaming.ui.retainedProgressUpdates`
  * micro-batches of each run. Spark's history server fills the same store from an event log.
  */
final class StoredRuns private[windrow] (store: KVStore) {

  /** Returns all runs, the newest first. */
  def all: Seq[StoredRun] = new StreamingQueryStatusStore(store).allQueryUIData.map { one =>
    val of = one.summary
    StoredRun(
      Option(of.name),
      of.id,
      UUID.fromString(of.runId),
      of.isActive,
      of.exception,
      of.startTimestamp,
      of.endTimestamp,
      one.recentProgress.toSeq.sortBy(_.batchId))
  }.sortBy(-_.start)

  /** Returns the physical plans of a run's micro-batches as text, also of one that failed. */
  def plans(runId: UUID): Seq[String] = new SQLAppStatusStore(store).executionsList()
    .filter(one => Option(one.description).exists(_.contains(runId.toString))).map(_.physicalPlanDescription)
}
