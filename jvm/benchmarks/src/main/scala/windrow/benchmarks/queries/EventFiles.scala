package windrow.benchmarks.queries

import java.nio.file.{Files, Path}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, SparkSession}

/** The number of events of a stream, in total and in a micro-batch. */
final case class Amount(events: Long, batch: Long)

/** Events as Parquet files, written once into a folder and used again. Two files of each table make a micro-batch.
  *
  * @param folder
  *   the folder with the folders of all streams
  */
final class EventFiles(session: SparkSession, folder: Path) {

  def streams(source: Source, amount: Amount): Map[String, DataFrame] = tables(source, amount) { (schema, path) =>
    session.readStream.schema(schema).option("maxFilesPerTrigger", EventFiles.PerBatch).parquet(path)
  }

  def all(source: Source, amount: Amount): Map[String, DataFrame] = tables(source, amount) { (schema, path) =>
    session.read.schema(schema).parquet(path)
  }

  /** Returns the files of a table in the order of arrival. The first file of a batch is at an even index. */
  def inOrder(source: Source, table: String, amount: Amount): Seq[Path] =
    EventFiles.parts(made(source, amount).resolve(table))

  private def tables(source: Source, amount: Amount)(read: (String, String) => DataFrame): Map[String, DataFrame] = {
    val files = made(source, amount)
    source.tables.map(table => table.name -> read(table.schema, files.resolve(table.name).toString)).toMap
  }

  private[benchmarks] def made(source: Source, amount: Amount): Path = {
    require(
      amount.events % amount.batch == 0 && amount.batch % EventFiles.PerBatch == 0,
      s"${amount.events} events are not a multiple of the batch size ${amount.batch}")
    val target = folder.resolve(s"${source.name}-${amount.events}-${amount.batch}")
    val ready  = target.resolve("_READY")
    if (!Files.exists(ready)) {
      source.tables.foreach(table => write(table, amount, target.resolve(table.name)))
      Files.createFile(ready)
    }
    target
  }

  private def write(table: Table, amount: Amount, target: Path): Unit = {
    val half   = amount.batch / EventFiles.PerBatch
    val file   = floor(col("id") / half)
    val within = pmod(col("id"), lit(half))
    val pair   = floor(file / 2) * half + within
    val n      = pair * 2 + EventFiles.other(file, pair)
    val rows   = session.range(0, amount.events, 1, (amount.events / half).toInt).select(n.as("n"))
    rows.where(table.keeps(col("n"))).select(table.columns(col("n")): _*)
      .write.mode("overwrite").parquet(target.toString)
    val files = EventFiles.parts(target)
    // Spark's file source reads the oldest file first.
    val begin = System.currentTimeMillis - files.size * 1000L
    files.zipWithIndex.foreach { case (made, i) => require(made.toFile.setLastModified(begin + i * 1000L), s"$made") }
  }
}

object EventFiles {
  val PerBatch = 2

  /** Randomly assigns one of two neighbors to each of a batch's files, so that both files span the same time. */
  private def other(one: Column, pair: Column): Column = pmod(one + xxhash64(pair), lit(2))

  /** Returns the index of the file in its batch that contains an event: 0 or 1. */
  def of(n: Column): Column = other(n, floor(n / 2))

  private def parts(folder: Path): Seq[Path] =
    folder.toFile.listFiles.filter(_.getName.startsWith("part-")).sortBy(_.getName).map(_.toPath).toSeq
}
