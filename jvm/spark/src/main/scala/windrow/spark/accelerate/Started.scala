package windrow.spark.accelerate

import java.util.Collections

/** The decisions about the queries that this JVM has started, by their checkpoints. */
private[spark] object Started {
  private val Most = 1000

  private val decisions = Collections.synchronizedMap(
    new java.util.LinkedHashMap[String, Acceleration] {
      override def removeEldestEntry(eldest: java.util.Map.Entry[String, Acceleration]): Boolean = size > Most
    })

  def remember(checkpoint: String, made: Acceleration): Unit = decisions.put(checkpoint, made): Unit

  /** Returns the decisions about the latest start with a checkpoint. */
  def of(checkpoint: String): Option[Acceleration] = Option(decisions.get(checkpoint))
}
