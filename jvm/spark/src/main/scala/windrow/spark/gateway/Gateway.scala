package windrow.spark.gateway

import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, SparkSession, SparkSessionExtensions}
import windrow.spark.gauges.GaugeListener
import windrow.spark.pack.PackStrategy
import windrow.spark.standalone.{OperatorFactory, StandaloneOperator}
import windrow.spark.testing.Rehearsal
import windrow.spark.ui.WindrowTab
import windrow.spark.{WindrowExtensions, WindrowVersion}

/** The only class that Python calls directly. Python then calls the objects that it returns. Arguments and results are
  * strings, numbers and byte arrays.
  */
object Gateway {

  def version(): String = WindrowVersion.value

  /** Registers the table functions with a session that was started before the JAR was added. Repeated calls have no
    * effect.
    */
  def register(session: SparkSession): Unit = {
    val extensions = new SparkSessionExtensions
    new WindrowExtensions()(extensions)
    SparkInside.registerTableFunctions(session, extensions)
    SparkInside.addStrategy(session, PackStrategy(session))
    WindrowTab.attach(session)
  }

  /** Publishes the figures of the session's queries in Spark's metrics system; see [[GaugeListener]]. */
  def publishMetrics(session: SparkSession): Unit = GaugeListener.add(session)

  /** Opens a standalone operator with its state in a folder, or in memory if `folder` is null; see
    * [[OperatorFactory]].
    */
  def operator(session: SparkSession, spec: String, folder: String, name: String, sends: Boolean): StandaloneOperator =
    OperatorFactory.open(session, spec, folder, name, sends)

  /** Creates a query for tests that runs step by step, without Spark's micro-batches. */
  def rehearsal(session: SparkSession, output: DataFrame): Rehearsal = new Rehearsal(session, output)
}
