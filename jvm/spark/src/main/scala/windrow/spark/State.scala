package windrow.spark

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import windrow.spark.query.StateReader
import windrow.{SpecError, SpecProblem}

/** The state of a running or stopped query, read from its checkpoint as its last committed micro-batch left it. Each
  * DataFrame shows the micro-batch that was the last one when the DataFrame was created. Spark keeps the state of the
  * last 100 micro-batches (`spark.sql.streaming.minBatchesToRetain`).
  *
  * Bounds and keys are constants, `lit(...)`. A bound is a timestamp, a string that contains one, or an integer, which
  * is an offset or a sequence number. None and null mean no bound. Both ends of a range are inclusive.
  * {{{
  * val state = Windrow.state("checkpoint")
  * state.getWindows(start = Some(lit("2026-01-01 09:00:00")), key = Map("product" -> lit("tea")))
  * }}}
  *
  * @throws windrow.CheckpointError
  *   if the checkpoint does not exist or cannot be read
  */
final class State private[spark] (session: SparkSession, path: String, operator: Option[String]) {
  private val reader = new StateReader(session, path, operator)

  /** Returns the retained windows that overlap a range, ordered by start and end: the key columns, `window`,
    * `first_offset` and `last_offset` (null if aggregates are kept), `is_complete`, then the aggregates, or `count`,
    * the number of rows ever accepted. A join does not have windows.
    *
    * @param start
    *   the lower bound
    * @param end
    *   the upper bound
    * @param key
    *   values of key columns, keyed by column
    */
  def getWindows(
      start: Option[Column] = None,
      end: Option[Column] = None,
      key: Map[String, Column] = Map.empty): DataFrame =
    reader.getWindows(bound("start", start), bound("end", end), values("key", key))

  /** Returns stored rows in order, with the columns of the input: the retained rows of full state, the rows that a join
    * still keeps of one stream, or those that a search for a pattern or a deduplication with `keep = Last` stores.
    *
    * @param start
    *   the lower bound
    * @param end
    *   the upper bound
    * @param by
    *   values of all columns of `index(by = …)`; without an index, of the key columns; for a join, of the equality
    *   columns
    * @param key
    *   values of all key columns, keyed by column
    */
  def getMessages(
      start: Option[Column] = None,
      end: Option[Column] = None,
      by: Map[String, Column] = Map.empty,
      key: Map[String, Column] = Map.empty): DataFrame = reader.getMessages(
    bound("start", start),
    bound("end", end),
    values("by", by),
    values("key", key))

  /** Returns what a deduplication or a search for a pattern stores of each key: the key columns, `first_time` and
    * `last_time` of its stored rows or times, `times` (the stored event times of a deduplication), `rows` (the stored
    * rows), `bytes` (their size), `matches` (the emitted matches of a pattern that can still be retracted, with
    * `start`, `end`, and `names`), and `watermark`, the least one that removes a key of a deduplication, or that changes
    * the matches or rows of a pattern's key.
    *
    * @param key
    *   values of all key columns, keyed by column
    */
  def getKeys(key: Map[String, Column] = Map.empty): DataFrame = reader.getKeys(values("key", key))

  /** Returns the firings that follow if no more rows arrive: the key columns, `window`, `timing`, and either
    * `watermark`, the least watermark that causes the firing, or `processing_time`, at which a period ends.
    *
    * For a stream of a join, returns the joined rows that contain one of its rows and are not emitted yet, because they
    * have no partner or wait for the end of a period: the equality columns, a struct for each stream, `watermark` and
    * `processing_time`.
    *
    * For a deduplication that emits last rows once, returns the rows that wait: the key columns, `message`, `watermark`.
    * For a pattern, returns the keys whose matches or rows will change: the key columns, `watermark`.
    */
  def pending(): DataFrame = reader.pending()

  /** Returns the offsets from which the sources must be read again if the state is lost: `source` (for a join, the name
    * of the stream), `partition`, `offset`.
    */
  def restartOffsets(): DataFrame = reader.restartOffsets()

  private def bound(argument: String, value: Option[Column]): Literal =
    value.fold(Literal(null))(constant(argument, _))

  private def values(argument: String, value: Map[String, Column]): Map[String, Literal] =
    value.map { case (name, column) => name -> constant(s"$argument('$name')", column) }

  private def constant(argument: String, column: Column): Literal =
    SparkInside.constant(session, column).getOrElse(throw SpecError(
      argument,
      Seq(SpecProblem("ARGUMENT_NOT_CONSTANT.COLUMN", "value" -> column))))
}
