package windrow.benchmarks

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption._
import java.nio.file.{Files, Path}
import org.apache.spark.sql.SparkSession
import windrow.benchmarks.queries.{Amount, EventFiles, Source}

/** Events decoded once, for a peer that does not read Parquet: (micros, key, value) as 64 bits each, one batch after
  * another, each in the order of time.
  */
final class PlainFiles(session: SparkSession, files: EventFiles) {
  def write(source: Source, table: String, amount: Amount): Unit = {
    val parquet = files.inOrder(source, table, amount)
    val target  = PlainFiles.of(source, table, amount)
    if (!Files.exists(target)) {
      val made = Files.createTempFile(target.getParent, "making", null)
      append(parquet, made)
      Files.move(made, target)
    }
  }

  private def append(parquet: Seq[Path], target: Path): Unit = {
    val out = FileChannel.open(target, WRITE)
    try
      parquet.grouped(EventFiles.PerBatch).foreach { batch =>
        val rows =
          session.read.parquet(batch.map(_.toString): _*).selectExpr("unix_micros(ts)", "key", "value").collect()
        val bytes = ByteBuffer.allocate(rows.length * 24)
        rows.sortBy(_.getLong(0)).foreach(row => (0 to 2).foreach(i => bytes.putLong(row.getLong(i))))
        out.write(bytes.flip())
      }
    finally out.close()
  }
}

object PlainFiles {
  def of(source: Source, table: String, amount: Amount): Path =
    Desk.Events.resolve(s"${source.name}-${amount.events}-${amount.batch}").resolve(s"$table.longs")
}
