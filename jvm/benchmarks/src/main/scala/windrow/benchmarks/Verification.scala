package windrow.benchmarks

import java.nio.file.Path
import java.util.UUID
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger

/** Rows as a number and two sums of their hashes, which no order changes.
  *
  * @param rows
  *   how many
  */
final case class Digest(rows: Long, sum: Long, xor: Long) {
  def +(other: Digest): Digest = Digest(rows + other.rows, sum + other.sum, xor ^ other.xor)
}

object Digest {
  val Empty: Digest = Digest(0, 0, 0)

  def of(rows: Iterator[Output]): Digest = rows.foldLeft(Empty) { (digest, row) =>
    val hash = row.productIterator.foldLeft(0L)((sum, field) => mixed(sum ^ field.asInstanceOf[Long]))
    Digest(digest.rows + 1, digest.sum + hash, digest.xor ^ hash)
  }

  /** The last step of SplitMix64, whose every bit hangs on every bit. */
  private def mixed(value: Long): Long = {
    val a = (value + 0x9e3779b97f4a7c15L) * 0xbf58476d1ce4e5b9L
    val b = (a ^ (a >>> 31)) * 0x94d049bb133111ebL
    b ^ (b >>> 29)
  }
}

/** A row of the result; start and end in microseconds, end exclusive. */
final case class Output(key: Long, start: Long, end: Long, n: Long, total: Long, top: Long)

/** Whether all give what a plain computation over all events gives. What differs is not timed. */
final class Verification(scratch: Path) {
  private implicit val events: Encoder[Event]   = Encoders.product
  private implicit val outputs: Encoder[Output] = Encoders.product
  private implicit val digests: Encoder[Digest] = Encoders.product

  def plain(all: DataFrame, windows: Windows): Digest =
    Digest.of(PlainWindows(
      all.select(unix_micros(col("ts")).as("micros"), col("key"), col("value")).as[Event].collect(),
      windows))

  def streamed(query: DataFrame): Digest = {
    var digest     = Digest.Empty
    val checkpoint = scratch.resolve(UUID.randomUUID.toString)
    val add = (batch: DataFrame, _: Long) =>
      digest = batch
        .select(
          col("key"),
          unix_micros(col("window.start")).as("start"),
          unix_micros(col("window.end")).as("end"),
          col("n"),
          col("total"),
          col("top"))
        .as[Output].mapPartitions(rows => Iterator.single(Digest.of(rows))).collect().foldLeft(digest)(_ + _)
    try {
      query.writeStream.foreachBatch(add).outputMode("append").trigger(Trigger.AvailableNow)
        .option("checkpointLocation", checkpoint.toString).start().awaitTermination()
      digest
    } finally Folders.delete(checkpoint)
  }
}
