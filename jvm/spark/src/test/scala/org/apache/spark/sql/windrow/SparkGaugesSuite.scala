package org.apache.spark.sql.windrow

import windrow.spark.SparkSuite

final class SparkGaugesSuite extends SparkSuite {

  test("gauges of two owners of one name stand apart, and a name is free again") {
    spark.version // metrics need a running Spark
    val owners = Seq.fill(2)(SparkGauges.open("query", "query and more"))
    owners.foreach(_.put("rows", () => 1L))
    owners.foreach(_.close())
    val again = SparkGauges.open("query", "query and more")
    again.put("rows", () => 1L)
    again.close()
  }
}
