package windrow.spark.gateway

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.WindrowExtensions
import windrow.spark.WindrowVersion
import windrow.spark.pack.PackStrategy

/** The one class that Python calls: plain texts in and out. */
object Gateway {

  def version(): String = WindrowVersion.value

  /** Makes the table functions known to a session that was running before the JAR came; again is harmless. */
  def register(session: SparkSession): Unit = {
    val extensions = new SparkSessionExtensions
    new WindrowExtensions()(extensions)
    SparkInside.registerTableFunctions(session, extensions)
    SparkInside.addStrategy(session, PackStrategy(session))
  }
}
