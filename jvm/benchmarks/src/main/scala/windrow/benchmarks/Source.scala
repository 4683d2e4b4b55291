package windrow.benchmarks

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions._

/** A table of a stream: which of the stream's events are its rows, and what they hold. Its event time is `ts`.
  *
  * @param keeps
  *   whether the n-th event is a row of it
  * @param columns
  *   of the row that the n-th event is
  */
final case class Table(name: String, schema: String, keeps: Column => Column, columns: Column => Seq[Column])

/** Events from a seeded generator: the same numbers give the same events, everywhere.
  *
  * @param delay
  *   seconds that its watermark is behind
  */
final case class Source(name: String, tables: Seq[Table], delay: Int = 0)

/** What generators share. */
object Source {

  /** 2024-01-01 00:00:00 UTC */
  val FirstMicros          = 1704067200000000L
  private val Seed         = 20240101L
  private val MicrosSecond = 1000000L

  /** Event time of the n-th event, in microseconds, `perSecond` dividing a million. */
  def micros(n: Column, perSecond: Int): Column = lit(FirstMicros) + n * (MicrosSecond / perSecond)

  /** A number from 0 that is the event's own, another for each `what`. */
  def chance(n: Column, what: Int, below: Long): Column = pmod(xxhash64(n, lit(Seed + what)), lit(below))
}
