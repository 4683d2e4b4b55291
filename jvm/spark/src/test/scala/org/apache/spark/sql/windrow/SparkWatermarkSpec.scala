package org.apache.spark.sql.windrow

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.time.Watermark

final class SparkWatermarkSpec extends AnyFunSuite {
  test("SEMANTICS R70, R71: 0 means that there is none yet, and from the end of time on it is the end") {
    assert(SparkWatermark(0) == Watermark.None)
    assert(SparkWatermark(1) == Watermark(1000))
    assert(
      SparkWatermark(SparkWatermark.EndMillis - 1).isDefined && !SparkWatermark(SparkWatermark.EndMillis - 1).isEnd)
    assert(SparkWatermark(SparkWatermark.EndMillis).isEnd)
  }
}
