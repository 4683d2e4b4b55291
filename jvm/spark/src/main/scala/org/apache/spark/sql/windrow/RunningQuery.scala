package org.apache.spark.sql.windrow

import org.apache.spark.sql.streaming.StreamingQuery

/** What a running query hides. */
object RunningQuery {

  /** The folder of its checkpoint. */
  def checkpoint(query: StreamingQuery): String = {
    val execution = execute(query)
    execution.getClass.getMethod("resolvedCheckpointRoot").invoke(execution).toString
  }

  /** What runs it. */
  private[windrow] def execute(query: StreamingQuery): AnyRef =
    query.getClass.getMethod("streamingQuery").invoke(query)
}
