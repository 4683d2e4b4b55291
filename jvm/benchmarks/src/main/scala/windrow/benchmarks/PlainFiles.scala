package windrow.benchmarks

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption._
import org.apache.spark.sql.SparkSession

/** Events decoded once for a peer that reads no Parquet: (micros, key, value) as 64 bits each, in the order of arrival; the
  * first files of all batches in one, the second ones in the other.
  */
final class PlainFiles(session: SparkSession, files: EventFiles) {
  def write(source: Source, table: String, amount: Amount): Unit = {
    val parquet = files.inOrder(source, table, amount)
    PlainFiles.of(source, table, amount).zipWithIndex.foreach { case (target, part) =>
      if (!Files.exists(target)) {
        val half = parquet.zipWithIndex.collect { case (file, i) if i % EventFiles.PerBatch == part => file }
        val made = Files.createTempFile(target.getParent, "making", null)
        append(half, made)
        Files.move(made, target)
      }
    }
  }

  private def append(parquet: Seq[Path], target: Path): Unit = {
    val out = FileChannel.open(target, WRITE)
    try
      parquet.foreach { file =>
        val rows  = session.read.parquet(file.toString).selectExpr("unix_micros(ts)", "key", "value").collect()
        val bytes = ByteBuffer.allocate(rows.length * 24)
        rows.foreach(row => (0 to 2).foreach(i => bytes.putLong(row.getLong(i))))
        out.write(bytes.flip())
      }
    finally out.close()
  }
}

object PlainFiles {
  def of(source: Source, table: String, amount: Amount): Seq[Path] = (0 until EventFiles.PerBatch).map { part =>
    Desk.Events.resolve(s"${source.name}-${amount.events}-${amount.batch}").resolve(s"$table-$part.longs")
  }
}
