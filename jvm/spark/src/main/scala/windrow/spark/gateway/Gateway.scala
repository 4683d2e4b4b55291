package windrow.spark.gateway

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.WindrowExtensions
import windrow.spark.WindrowVersion
import windrow.spark.gauges.GaugeListener
import windrow.spark.pack.PackStrategy
import windrow.spark.standalone.Standalone
import windrow.spark.standalone.StandaloneOperator
import windrow.spark.testing.Rehearsal

/** The one class that Python calls; what it gives is called in turn. Texts, numbers and bytes go in and come out. */
object Gateway {

  def version(): String = WindrowVersion.value

  /** Makes the table functions known to a session that was running before the JAR came; again is harmless. */
  def register(session: SparkSession): Unit = {
    val extensions = new SparkSessionExtensions
    new WindrowExtensions()(extensions)
    SparkInside.registerTableFunctions(session, extensions)
    SparkInside.addStrategy(session, PackStrategy(session))
  }

  /** Shows the figures of the session's queries in Spark's metrics system; see [[GaugeListener]]. */
  def publishMetrics(session: SparkSession): Unit = GaugeListener.add(session)

  /** A standalone operator with its state in a folder, or null: in memory; see [[Standalone]]. */
  def operator(session: SparkSession, spec: String, folder: String): StandaloneOperator =
    Standalone.open(session, spec, folder)

  /** A query that runs step by step without Spark's batches, for tests. */
  def rehearsal(session: SparkSession, output: DataFrame): Rehearsal = new Rehearsal(session, output)
}
