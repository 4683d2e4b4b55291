package windrow.spark.accelerate

import java.util.Collections
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.windrow.RunningQuery

/** The decisions about the queries that this JVM has started, by their checkpoints. */
private[spark] object Started {
  private val Most = 1000

  private val decisions = Collections.synchronizedMap(
    new java.util.LinkedHashMap[String, Acceleration] {
      override def removeEldestEntry(eldest: java.util.Map.Entry[String, Acceleration]): Boolean = size > Most
    })

  def remember(checkpoint: String, made: Acceleration): Unit = decisions.put(checkpoint, made): Unit

  /** Returns the decisions about a running query. */
  def of(query: StreamingQuery): Acceleration = of(RunningQuery.checkpoint(query)).getOrElse(Acceleration(Nil))

  /** Returns the decisions about the latest start with a checkpoint. */
  def of(checkpoint: String): Option[Acceleration] = Option(decisions.get(checkpoint))
}
