package windrow.benchmarks.queries

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions._

/** A table of a stream, as a selection of the stream's events with columns. Its event time is `ts`.
  *
  * @param keeps
  *   whether the n-th event is a row of the table
  * @param columns
  *   the columns of the row of the n-th event
  */
final case class Table(name: String, schema: String, keeps: Column => Column, columns: Column => Seq[Column])

/** Events from a seeded generator. The same arguments give the same events, everywhere.
  *
  * @param delay
  *   watermark delay in seconds
  */
final case class Source(name: String, tables: Seq[Table], delay: Int = 0)

/** Functions that generators share. */
object Source {

  /** 2024-01-01 00:00:00 UTC */
  val FirstMicros          = 1704067200000000L
  private val Seed         = 20240101L
  private val MicrosSecond = 1000000L

  /** The event time of the n-th event, in microseconds. A million must be a multiple of `perSecond`. */
  def micros(n: Column, perSecond: Int): Column = lit(FirstMicros) + n * (MicrosSecond / perSecond)

  /** A pseudo-random number of the event, from 0 and less than `below`, different for each `what`. */
  def chance(n: Column, what: Int, below: Long): Column = pmod(xxhash64(n, lit(Seed + what)), lit(below))
}
