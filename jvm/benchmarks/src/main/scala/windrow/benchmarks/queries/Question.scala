package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** A query over a stream. All contenders return rows of the same columns, all BIGINT. */
trait Question {

  /** The input tables. */
  def tables: Seq[String]

  /** The arguments of Windrow's SQL functions, for contenders without their own options. */
  def options: String = "lateness => '0 seconds'"

  def windrow(in: Feed, options: String): DataFrame

  /** Returns the query with Spark's built-in operators, or None if they do not support it. */
  def spark(in: Feed): Option[DataFrame]

  /** Computes the result from its definition over all events at once, without windowing operators. */
  def plain(in: Feed): DataFrame

  /** Returns the job for Flink, or None if Flink does not take part. */
  def flink: Option[FlinkTask] = None

  /** Selects the final rows, of complete windows, from rows that correct each other; `until` is the watermark. */
  def settled(rows: DataFrame, until: Long): DataFrame =
    throw new UnsupportedOperationException(
      s"windows until $until of ${rows.columns.mkString(", ")} do not correct each other")

  /** Whether a row may be emitted again with another value. */
  def corrects: Boolean = false

  /** Settings of Spark for its own answer. */
  def settings: Map[String, String] = Map.empty
}

/** @param numbers
  *   arguments of the task
  * @param ordered
  *   whether values depend on the order of arrival, which Flink's two sources do not determine; if so, only the number
  *   of rows is compared
  */
final case class FlinkTask(name: String, numbers: Map[String, Long], ordered: Boolean = false)
