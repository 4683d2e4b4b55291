package windrow.benchmarks

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._

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

  /** Of rows whose columns are all BIGINT. Flink's side computes the same hash. */
  def columns(rows: DataFrame): Seq[Column] = {
    val hash = xxhash64(rows.columns.toSeq.map(name => rows(name).cast("bigint")): _*)
    Seq(count(lit(1)).as("rows"), sum(hash.bitwiseAND(lit(0xffffffffL))).as("sum"), bit_xor(hash).as("xor"))
  }

  def of(rows: DataFrame): Digest = {
    val all = columns(rows)
    read(rows.agg(all.head, all.tail: _*).head())
  }

  /** What the columns gave; without rows the sums are null. */
  def read(found: Row): Digest = {
    def at(i: Int) = if (found.isNullAt(i)) 0L else found.getLong(i)
    Digest(at(0), at(1), at(2))
  }
}
