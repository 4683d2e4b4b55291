package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import windrow.SpecProblem
import windrow.spark.input.WatermarkCheck

/** Checks the settings of a session under which Spark must run an operator of a new query. A query that continues
  * Windrow's checkpoint needs no check, because Spark restores the state store and the watermark policy from it.
  */
private object SessionCheck {
  private val RocksDb = "RocksDBStateStoreProvider"

  /** Settings that change which rows are late for Spark, with their defaults. */
  private val OfLateness = Seq(
    "spark.sql.streaming.statefulOperator.allowMultiple"                  -> "true",
    "spark.sql.streaming.sessionWindow.merge.sessions.in.local.partition" -> "false")

  /** Returns the reason why Spark must run the operators of a query with some watermarks, or None. */
  def apply(session: SparkSession, marks: Int): Option[SpecProblem] =
    stateStore(session).orElse(watermarks(session, marks)).orElse(lateness(session))

  private def stateStore(session: SparkSession): Option[SpecProblem] = {
    val provider = session.conf.get(SQLConf.STATE_STORE_PROVIDER_CLASS.key)
    Option.unless(provider.endsWith(RocksDb))(SpecProblem(
      "STATE_STORE_NOT_ROCKSDB",
      "setting"  -> SQLConf.STATE_STORE_PROVIDER_CLASS.key,
      "found"    -> provider,
      "provider" -> s"org.apache.spark.sql.execution.streaming.state.$RocksDb"))
  }

  private def watermarks(session: SparkSession, marks: Int): Option[SpecProblem] =
    WatermarkCheck.ofGreatest(session, marks).map(_ =>
      SpecProblem(
        "WATERMARK_POLICY",
        "setting" -> WatermarkCheck.Policy,
        "value"   -> WatermarkCheck.Greatest)).headOption

  private def lateness(session: SparkSession): Option[SpecProblem] = OfLateness.collectFirst {
    case (name, value) if session.conf.getOption(name).exists(!_.equalsIgnoreCase(value)) =>
      SpecProblem("SETTING_NOT_ACCELERATED", "setting" -> name, "value" -> value)
  }
}
