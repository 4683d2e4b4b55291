package org.apache.spark.sql.windrow

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.StreamingQuery

/** Accesses private parts of a running query. */
object RunningQuery {

  /** Returns the folder of the query's checkpoint. */
  def checkpoint(query: StreamingQuery): String = checkpointOf(execute(query))

  /** Returns the folder of the checkpoint of an execution. */
  private[windrow] def checkpointOf(execution: AnyRef): String =
    execution.getClass.getMethod("resolvedCheckpointRoot").invoke(execution).toString

  /** Returns the analyzed plan of the query. */
  def plan(query: StreamingQuery): LogicalPlan = analyzed(execute(query))

  /** Returns the analyzed plan of an execution. */
  private[windrow] def analyzed(execution: AnyRef): LogicalPlan =
    execution.getClass.getMethod("analyzedPlan").invoke(execution).asInstanceOf[LogicalPlan]

  /** Returns the execution that runs the query. */
  private[windrow] def execute(query: StreamingQuery): AnyRef =
    query.getClass.getMethod("streamingQuery").invoke(query)
}
