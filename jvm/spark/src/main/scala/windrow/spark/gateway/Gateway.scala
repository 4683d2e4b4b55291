package windrow.spark.gateway

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic
import windrow.spark.WindrowVersion
import windrow.spark.pack.PackStrategy
import windrow.spark.plan.TableFunctions

/** The one class that Python calls: plain texts in and out. */
object Gateway {

  def version(): String = WindrowVersion.value

  /** Makes the table functions known to a session that was running before the JAR came; again is harmless. */
  def register(session: SparkSession): Unit = {
    val running = session.asInstanceOf[classic.SparkSession]
    TableFunctions.all.foreach { case (name, info, builder) =>
      running.sessionState.tableFunctionRegistry.registerFunction(name, info, builder)
    }
    val known = running.experimental.extraStrategies
    if (!known.exists(_.isInstanceOf[PackStrategy]))
      running.experimental.extraStrategies = known :+ PackStrategy(session)
  }
}
