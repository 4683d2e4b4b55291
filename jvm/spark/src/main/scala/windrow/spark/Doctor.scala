package windrow.spark

import org.apache.spark.SparkConf
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.running.CheckpointSetting

/** The result of one check.
  *
  * @param name
  *   the name of the checked thing
  * @param found
  *   its present value
  * @param remedy
  *   what to change; empty if nothing is wrong
  * @param isHint
  *   whether `remedy` only improves a working setup
  */
final case class Check(name: String, found: String, remedy: String = "", isHint: Boolean = false)

/** Checks in order. Prints as a list. */
final case class Report(checks: Seq[Check]) {

  /** Whether nothing is wrong. Hints do not count. */
  def isOk: Boolean = checks.forall(check => check.remedy.isEmpty || check.isHint)

  override def toString: String = checks.map { check =>
    val mark = if (check.remedy.isEmpty) "ok   " else if (check.isHint) "hint " else "WRONG"
    s"$mark ${check.name}: ${check.found}" + (if (check.remedy.isEmpty) "" else s"\n      -> ${check.remedy}")
  }.mkString("\n")
}

/** Checks and sets the options that Windrow needs of a session. */
private[spark] object Doctor {
  private val StateStore = "spark.sql.streaming.stateStore"
  private val Provider   = s"$StateStore.providerClass"
  private val RocksDb    = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
  private val NoData     = "spark.sql.streaming.noDataMicroBatches.enabled"
  private val Partitions = "spark.sql.shuffle.partitions"

  /** The same options as those of `wr.configure` in Python. */
  private val Settings = Seq(
    Provider                                              -> RocksDb,
    s"$StateStore.rocksdb.changelogCheckpointing.enabled" -> "true",
    s"$StateStore.rocksdb.trackTotalNumberOfRows"         -> "false",
    s"$StateStore.rocksdb.blockCacheSizeMB"               -> "32",
    CheckpointSetting.Name                                -> CheckpointSetting.Class,
    "spark.sql.codegen.cache.maxEntries"                  -> "1000")

  def configure(builder: SparkSession.Builder): SparkSession.Builder = {
    val (stated, defaults) = (SparkInside.options(builder), new SparkConf)
    Settings.foreach { case (name, value) =>
      if (!stated.contains(name) && !defaults.contains(name)) builder.config(name, value)
    }
    builder
  }

  def examine(session: SparkSession): Report =
    Report(Seq(spark(session), java, functions(session), provider(session), withoutData(session), partitions(session)))

  private def spark(session: SparkSession): Check = {
    val fits = Seq("4.0.", "4.1.", "4.2.", "4.3.").exists(session.version.startsWith)
    Check("Spark", session.version, if (fits) "" else "Use Spark 4.0, 4.1, 4.2 or 4.3.")
  }

  private def java: Check = {
    val fits = System.getProperty("java.specification.version").toDoubleOption.exists(_ >= 17)
    Check("Java", System.getProperty("java.version"), if (fits) "" else "Use Java 17 or later.")
  }

  private def functions(session: SparkSession): Check = {
    val isThere = session.catalog.functionExists("windrow_version")
    Check(
      "functions in SQL",
      if (isThere) WindrowVersion.value else "none",
      if (isThere) "" else "Put the JAR on the class path before the session starts: --jars, or spark.jars.",
      isHint = true)
  }

  private def provider(session: SparkSession): Check = {
    val set = session.conf.get(Provider)
    Check(
      "state store",
      set.split('.').last,
      if (set == RocksDb) "" else s"Set $Provider to $RocksDb, as configure does.")
  }

  /** Checks that Spark runs micro-batches without data. Without them, windows that the last rows complete stay open. */
  private def withoutData(session: SparkSession): Check = {
    val isOn = session.conf.get(NoData).toBoolean
    val advice =
      s"Set $NoData to true. Otherwise a window that the last rows complete is emitted only when more rows arrive."
    Check("batches without data", if (isOn) "on" else "off", if (isOn) "" else advice)
  }

  private def partitions(session: SparkSession): Check = {
    val (found, cores) = (session.conf.get(Partitions).toInt, session.sparkContext.defaultParallelism)
    val advice =
      s"Small micro-batches are faster with $cores or ${2 * cores} partitions. Set $Partitions before the first start."
    Check("shuffle partitions", s"$found on $cores cores", if (found > 4 * cores) advice else "", isHint = true)
  }
}
