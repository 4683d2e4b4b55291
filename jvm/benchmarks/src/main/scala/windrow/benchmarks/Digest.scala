package windrow.benchmarks

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, Row}

/** A digest of rows that does not depend on their order: their number and two combinations of their hashes.
  *
  * @param rows
  *   number of rows
  */
final case class Digest(rows: Long, sum: Long, xor: Long) {
  def +(other: Digest): Digest = Digest(rows + other.rows, sum + other.sum, xor ^ other.xor)
}

object Digest {
  val Empty: Digest = Digest(0, 0, 0)

  /** Returns the aggregates of a digest, for rows whose columns are all BIGINT. Flink's side computes the same hash. */
  def columns(rows: DataFrame): Seq[Column] = {
    val hash = xxhash64(rows.columns.toSeq.map(name => rows(name).cast("bigint")): _*)
    Seq(count(lit(1)).as("rows"), sum(hash.bitwiseAND(lit(0xffffffffL))).as("sum"), bit_xor(hash).as("xor"))
  }

  def of(rows: DataFrame): Digest = {
    val all = columns(rows)
    read(rows.agg(all.head, all.tail: _*).head())
  }

  /** Reads the values of the columns. Without rows the sums are null. */
  def read(found: Row): Digest = {
    def at(i: Int) = if (found.isNullAt(i)) 0L else found.getLong(i)
    Digest(at(0), at(1), at(2))
  }
}
