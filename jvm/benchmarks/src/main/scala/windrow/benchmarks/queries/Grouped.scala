package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** The values computed for a window: aggregates in SQL, and output columns computed from them. */
final case class Values(aggregates: String, columns: Seq[String])

object Values {
  val Sums: Values  = Values("count(*) AS n, sum(value) AS total, max(value) AS top", Seq("n", "total", "top"))
  val Count: Values = Values("count(*) AS n", Seq("n"))

  val Distinct: Values = Values("count(DISTINCT value) AS n", Seq("n"))

  /** Exact quantiles, from all values in the window. */
  val Ranks: Values = Values(
    "median(value) AS middle, percentile(value, 0.95) AS high",
    Seq("CAST(round(middle * 100) AS BIGINT)", "CAST(round(high * 100) AS BIGINT)"))

  /** All values in the window, in any order. */
  val All: Values = Values(
    "collect_list(value) AS list",
    Seq("CAST(size(list) AS BIGINT)", "aggregate(list, 0L, (sum, value) -> sum + value)"))

  val Highest: Values =
    Values("max(struct(price, auction, bidder)) AS best", Seq("best.price", "best.auction", "best.bidder"))
}

/** Values by key and window of event time.
  *
  * @param refire
  *   seconds for which a complete window is corrected; every contender emits corrections
  */
final case class Grouped(
    windows: Windows,
    values: Values = Values.Sums,
    table: String = "events",
    keys: Seq[String] = Seq("key"),
    refire: Int = 0)
    extends Question {
  def tables: Seq[String]        = Seq(table)
  override def corrects: Boolean = refire > 0

  override def options: String =
    if (corrects) s"lateness => '$refire seconds', accumulation_mode => 'accumulating'" else super.options

  def windrow(in: Feed, options: String): DataFrame = {
    val (function, own) = windows.windrow
    val grouped         = s"SELECT ${listed(values.aggregates)} FROM $table${by(keys)}"
    in.marked(s"SELECT $row FROM $function(TABLE($grouped), time => 'ts', $own, $options)")
  }

  /** If windows are corrected, Spark must wait for late events, and emits every change. */
  def spark(in: Feed): Option[DataFrame] = Some(in.marked(
    s"SELECT $row FROM (SELECT ${listed(s"${windows.spark} AS window", values.aggregates)} FROM $table${by(keys :+ windows.spark)})",
    later = refire))

  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT ${listed("start", "end", values.columns.mkString(", "))} FROM (
          SELECT ${listed("start", "end", values.aggregates)} FROM (${windows.plain(table, keys)})${by(
        keys ++ Seq("start", "end"))})
        WHERE end <= ${in.until(tables)}""")

  override def flink: Option[FlinkTask] =
    if (values == Values.Sums) Some(windows.flink(Map("refire" -> refire * 1000000L))) else None

  /** Selects the last value of each window, which has the highest count. */
  override def settled(rows: DataFrame, until: Long): DataFrame = {
    val window = (keys ++ Seq("start", "end")).map(col)
    rows.where(col("end") <= until).groupBy(window: _*)
      .agg(max(struct(values.columns.map(col): _*)).as("last")).select(window :+ col("last.*"): _*)
  }

  private def listed(columns: String*): String = (keys ++ columns).mkString(", ")
  private def by(columns: Seq[String]): String = if (columns.isEmpty) "" else columns.mkString(" GROUP BY ", ", ", "")
  private def row: String =
    listed("unix_micros(window.start) AS start", "unix_micros(window.end) AS end", values.columns.mkString(", "))
}
