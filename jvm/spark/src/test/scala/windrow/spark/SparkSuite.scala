package windrow.spark

import java.nio.file.Files
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import windrow.core.Full
import windrow.spark.running.CheckpointSetting

/** Base class of suites that share one Spark session. */
abstract class SparkSuite extends AnyFunSuite with Full {
  protected lazy val spark: SparkSession = SparkSuite.session

  /** In mode `quick`, the first short test of each suite runs, because Spark needs seconds for a query. */
  override def tags: Map[String, Set[String]] =
    if (!Full.isQuick) super.tags
    else super.tags ++ testNames.filterNot(super.tags.contains).drop(1).map(_ -> Set(SparkSuite.Slow))

  /** Runs a query until it has processed all input and returns its rows. */
  protected def rowsOf(stream: DataFrame)(feed: Seq[() => Unit]): Seq[Row] = {
    val rows = mutable.ArrayBuffer.empty[Row]
    val query = stream.writeStream.outputMode("append").option("checkpointLocation", SparkSuite.folder())
      .foreachBatch { (batch: DataFrame, _: Long) => rows ++= batch.collect(); () }.start()
    try feed.foreach { add =>
        add()
        query.processAllAvailable()
      }
    finally query.stop()
    rows.toSeq
  }
}

object SparkSuite {
  private val Slow = classOf[org.scalatest.tags.Slow].getName

  lazy val session: SparkSession = {
    val session =
      SparkSession.builder().master("local[2,2]").appName("windrow tests") // retries failed tasks
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.windrow.shards", "5")
        .config("spark.sql.warehouse.dir", folder())
        .config("spark.sql.session.timeZone", "UTC")
        .config(
          "spark.sql.streaming.stateStore.providerClass",
          "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
        .config("spark.sql.codegen.cache.maxEntries", "2000")
        .config(CheckpointSetting.Name, CheckpointSetting.Class)
        .getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session
  }

  /** Returns the plan of the latest micro-batch. */
  def executedPlan(query: StreamingQuery): SparkPlan =
    execution(query, "lastExecution").asInstanceOf[QueryExecution].executedPlan

  /** Returns a member of the object that runs a query, whose class is in another package in Spark 4.0. */
  def execution(query: StreamingQuery, member: String): AnyRef = {
    val running = query.getClass.getMethod("streamingQuery").invoke(query)
    running.getClass.getMethod(member).invoke(running)
  }

  def folder(): String = {
    val folder = Files.createTempDirectory("windrow-test")
    folder.toFile.deleteOnExit()
    folder.toString
  }
}
