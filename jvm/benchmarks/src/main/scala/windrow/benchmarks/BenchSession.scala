package windrow.benchmarks

import org.apache.spark.sql.SparkSession
import windrow.spark.running.CheckpointSetting

/** A session with the settings that Windrow recommends for streams. All contenders use the same settings. */
object BenchSession {
  private val RocksDB = "spark.sql.streaming.stateStore.rocksdb"

  val Settings: Map[String, String] = Map(
    "spark.ui.showConsoleProgress" -> "false",
    "spark.log.level"              -> "ERROR",
    "spark.ui.enabled"             -> "false",
    "spark.sql.warehouse.dir"      -> Desk.Folder.resolve("warehouse").toString,
    "spark.sql.session.timeZone"   -> "UTC",
    "spark.sql.shuffle.partitions" -> "2",
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    s"$RocksDB.changelogCheckpointing.enabled"               -> "true",
    s"$RocksDB.trackTotalNumberOfRows"                       -> "false",
    s"$RocksDB.blockCacheSizeMB"                             -> "128",
    "spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2",
    CheckpointSetting.Name                                   -> CheckpointSetting.Class,
    "spark.sql.codegen.cache.maxEntries"                     -> "2000",
    // As in spark-submit. Otherwise each run has its own class loader, and all generated code is compiled again.
    "spark.sql.artifact.isolation.enabled" -> "false")

  def start(settings: Map[String, String]): SparkSession =
    settings.foldLeft(SparkSession.builder().master("local[2]").appName("windrow benchmarks")) {
      case (builder, (name, value)) => builder.config(name, value)
    }.getOrCreate()
}
