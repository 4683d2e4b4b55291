package org.apache.spark.sql.windrow

import windrow.core.time.Watermark

/** Spark's watermark, in milliseconds, as the core's. */
object SparkWatermark {

  /** From here on it is the end of time: no stream has such times. Spark's arithmetic goes further, so a query can be brought
    * there (SEMANTICS R71).
    */
  val EndMillis = 100000000000000L

  /** Spark's begins at 0 and is never below: 0 means none yet (SEMANTICS R70). */
  def apply(millis: Long): Watermark =
    if (millis == 0) Watermark.None else if (millis >= EndMillis) Watermark.End else Watermark(millis * 1000)
}
