package org.apache.spark.sql.windrow

import windrow.core.time.Watermark

/** Converts Spark's watermark, in milliseconds, to the core's watermark. */
object SparkWatermark {

  /** The least watermark that counts as the end of time. It is after every usable event time (SEMANTICS R71). Spark's
    * arithmetic supports it, so a query can be driven to it.
    */
  val EndMillis: Long = (1L << 62) / 1000 + 1

  /** Converts a watermark. Spark's starts at 0 and is never negative, so 0 means that there is none yet (SEMANTICS
    * R70).
    */
  def apply(millis: Long): Watermark =
    if (millis == 0) Watermark.None else if (millis >= EndMillis) Watermark.End else Watermark(millis * 1000)
}
