package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.windrow.SparkInside
import windrow.SpecError
import windrow.SpecProblem
import windrow.spark.query.StateReader

/** What a query keeps, read from its checkpoint while it runs or rests: as its last committed batch left it. Each DataFrame
  * is of the batch that was the last when it was made; Spark keeps the state of the last 100 batches
  * (`spark.sql.streaming.minBatchesToRetain`).
  *
  * Bounds and keys are constants, `lit(...)`: a bound is a timestamp, a text that is one, or a whole number, which is an
  * offset or a sequence number; None and null are open. Both ends belong to a range.
  *
  * @throws windrow.CheckpointError
  *   if there is no such checkpoint, or it cannot be read
  */
final class State private[spark] (session: SparkSession, path: String, operator: Option[String]) {
  private val reader = new StateReader(session, path, operator)

  /** Windows inside retention that overlap a range, by (start, end): key columns, `window`, `first_offset`, `last_offset`
    * (null where aggregates are kept), `is_complete`, then the aggregates, or `count` of the messages ever accepted. A join
    * keeps none.
    */
  def getWindows(
      start: Option[Column] = None,
      end: Option[Column] = None,
      key: Map[String, Column] = Map.empty): DataFrame =
    reader.getWindows(bound("start", start), bound("end", end), values("key", key))

  /** Messages of full state inside retention, or of a stream of a join while they are kept for it, in order: the columns of
    * the input.
    *
    * @param by
    *   values by name for all columns of `index(by = …)`, else for those of the key; of a join for the equality fields
    * @param key
    *   by name all columns of the key
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

  /** Firings that come if no more messages do: key columns, `window`, `timing`, and `watermark`, the least that brings it, or
    * `processing_time`, at which a period ends.
    *
    * Of a stream of a join: rows with a message of it, which come alone or wait for a period: equality fields, a struct for
    * each stream, `watermark` and `processing_time`.
    */
  def pending(): DataFrame = reader.pending()

  /** From which offsets the sources must be read again if the store is lost: `source`, of a join the name of the stream,
    * `partition`, `offset`.
    */
  def restartOffsets(): DataFrame = reader.restartOffsets()

  private def bound(argument: String, said: Option[Column]): Literal =
    said.fold(Literal(null))(constant(argument, _))

  private def values(argument: String, said: Map[String, Column]): Map[String, Literal] =
    said.map { case (name, column) => name -> constant(s"$argument('$name')", column) }

  private def constant(argument: String, column: Column): Literal =
    SparkInside.constant(session, column).getOrElse(throw SpecError(
      argument,
      Seq(SpecProblem("ARGUMENT_NOT_CONSTANT.COLUMN", "value" -> column))))
}
