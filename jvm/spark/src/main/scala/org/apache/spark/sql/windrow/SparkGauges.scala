package org.apache.spark.sql.windrow

import com.codahale.metrics.{Gauge, MetricFilter, MetricRegistry}
import org.apache.spark.SparkEnv
import org.apache.spark.metrics.source.Source

/** Gauges of one owner in Spark's metrics system, named `windrow.<owner>.<name>`. */
final class SparkGauges private (owner: String, registry: MetricRegistry) {

  def put(name: String, value: () => Long): Unit = {
    registry.register(s"$owner.$name", new Gauge[Long] { def getValue: Long = value() })
    ()
  }

  def remove(name: String): Unit = {
    registry.remove(s"$owner.$name")
    ()
  }

  /** Removes the gauges of this owner. */
  def close(): Unit = SparkGauges.synchronized {
    registry.removeMatching(MetricFilter.startsWith(s"$owner."))
    SparkGauges.owners -= owner
  }
}

/** Registers one source for all owners. Spark's metrics follow each gauge that is added to or removed from its
  * registry. One source per owner would not work: Spark removes a source together with every other source whose name
  * starts with the same text.
  */
object SparkGauges {
  private final class Windrow extends Source {
    override val sourceName: String             = "windrow"
    override val metricRegistry: MetricRegistry = new MetricRegistry
  }

  private var owners     = Set.empty[String]
  private var registered = Option.empty[(SparkEnv, MetricRegistry)]

  /** Returns the gauges of `owner`, or of `other` if `owner` already has some. */
  def open(owner: String, other: String): SparkGauges = synchronized {
    val name = if (owners(owner)) other else owner
    owners += name
    new SparkGauges(name, current(SparkEnv.get))
  }

  private def current(env: SparkEnv): MetricRegistry = registered match {
    case Some((of, registry)) if of eq env => registry
    case _ =>
      val source = new Windrow
      env.metricsSystem.registerSource(source)
      registered = Some((env, source.metricRegistry))
      source.metricRegistry
  }
}
