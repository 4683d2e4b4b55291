package windrow.benchmarks

import org.apache.spark.sql.DataFrame

/** What is asked of a stream. Whoever answers gives rows of the same columns, all BIGINT. */
trait Question {

  /** The tables that are read. */
  def tables: Seq[String]

  /** How windrow is asked where a contender does not say otherwise: arguments of its SQL functions. */
  def options: String = "lateness => '0 seconds'"

  def windrow(in: Feed, options: String): DataFrame

  /** By what Spark has of its own, if it has it. */
  def spark(in: Feed): Option[DataFrame]

  /** From the definition, over all events at once, with nothing of windows in it. */
  def plain(in: Feed): DataFrame

  /** What Flink is told, if it is asked. */
  def flink: Option[FlinkTask] = None

  /** Of rows that correct each other those that stand, of windows that are over; `until` is where the watermark is. */
  def settled(rows: DataFrame, until: Long): DataFrame =
    throw new UnsupportedOperationException(
      s"windows until $until of ${rows.columns.mkString(", ")} do not correct each other")

  /** Whether a row may come out again with another value. */
  def corrects: Boolean = false

  /** What to set in Spark for its own answer. */
  def settings: Map[String, String] = Map.empty
}

/** @param numbers
  *   its arguments
  * @param ordered
  *   values depend on the order of arrival, which Flink's two sources leave open: only the number of rows is compared
  */
final case class FlinkTask(name: String, numbers: Map[String, Long], ordered: Boolean = false)
