package org.apache.spark.sql.windrow

import org.apache.spark.SparkEnv
import scala.jdk.CollectionConverters._

/** The gauges that Spark's metrics system has at this moment. */
object ShownGauges {

  /** Returns the gauges of an owner by name. */
  def of(owner: String): Map[String, Long] =
    SparkEnv.get.metricsSystem.getSourcesByName("windrow").flatMap(_.metricRegistry.getGauges.asScala).collect {
      case (name, gauge) if name.startsWith(s"$owner.") =>
        name.stripPrefix(s"$owner.") -> gauge.getValue.asInstanceOf[Long]
    }.toMap
}
