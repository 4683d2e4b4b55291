package windrow.benchmarks

import java.nio.file.Path
import java.util.UUID
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger

/** Runs a query over all events and returns a digest of its final rows. */
final class Check(scratch: Path) {
  def run(answer: Answer, settled: DataFrame => DataFrame): Digest = {
    val folder = scratch.resolve(UUID.randomUUID.toString)
    val rows   = folder.resolve("rows").toString
    val add    = (batch: DataFrame, _: Long) => batch.write.mode("append").parquet(rows)
    try {
      answer.rows.writeStream.foreachBatch(add).outputMode(answer.mode).trigger(Trigger.AvailableNow())
        .option("checkpointLocation", folder.resolve("checkpoint").toString).start().awaitTermination()
      Digest.of(settled(answer.rows.sparkSession.read.schema(answer.rows.schema).parquet(rows)))
    } finally Folders.delete(folder)
  }
}
