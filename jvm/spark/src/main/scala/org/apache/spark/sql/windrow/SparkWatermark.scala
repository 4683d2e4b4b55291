package org.apache.spark.sql.windrow

import windrow.core.time.Watermark

/** Converts Spark's watermark, in milliseconds, to the core's watermark. */
object SparkWatermark {

  /** The least watermark that counts as the end of time. No stream has such times. Spark's arithmetic supports greater
    * values, so a query can be driven to this watermark (SEMANTICS R71).
    */
  val EndMillis = 100000000000000L

  /** Converts a watermark. Spark's starts at 0 and is never negative, so 0 means that there is none yet (SEMANTICS
    * R70).
    */
  def apply(millis: Long): Watermark =
    if (millis == 0) Watermark.None else if (millis >= EndMillis) Watermark.End else Watermark(millis * 1000)
}
