package windrow.benchmarks

import java.nio.file.Path
import org.apache.spark.sql.SparkSession

/** A session with the settings that windrow recommends for streams; the same for all contenders. */
object BenchSession {
  private val RocksDB = "spark.sql.streaming.stateStore.rocksdb"

  /** @param settings
    *   that come before these
    */
  def start(scratch: Path, settings: Map[String, String]): SparkSession = {
    val session = SparkSession.builder()
      .master("local[2]")
      .appName("windrow benchmarks")
      .config("spark.ui.enabled", "false")
      .config("spark.local.dir", scratch.toString)
      .config("spark.sql.warehouse.dir", scratch.resolve("warehouse").toString)
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.sql.shuffle.partitions", "2")
      .config(
        "spark.sql.streaming.stateStore.providerClass",
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
      .config(s"$RocksDB.changelogCheckpointing.enabled", "true")
      .config(s"$RocksDB.trackTotalNumberOfRows", "false")
      .config(s"$RocksDB.blockCacheSizeMB", "128")
      .config("spark.sql.streaming.stateStore.checkpointFormatVersion", "2")
    settings.foldLeft(session) { case (builder, (name, value)) => builder.config(name, value) }.getOrCreate()
  }
}
