package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Sums by key and window, for several windows over the same events. A row has the number of its window. */
final case class Several(windows: Seq[Hops]) extends Question {
  private val grouped = s"SELECT key, ${Values.Sums.aggregates} FROM events GROUP BY key"
  private val bounds  = "unix_micros(window.start) AS start, unix_micros(window.end) AS end"
  private val sums    = Values.Sums.columns.mkString(", ")

  def tables: Seq[String] = Seq("events")

  /** One query for all windows. */
  def windrow(in: Feed, options: String): DataFrame = {
    val structs = windows.zipWithIndex.map { case (one, i) =>
      s"struct('hopping' AS kind, '${one.size} seconds' AS size, '${one.step} seconds' AS step) AS w$i"
    }
    in.marked(
      s"""SELECT CAST(substr(window_name, 2) AS BIGINT) AS which, key, $bounds, $sums
            FROM windrow_windows(
              TABLE($grouped), time => 'ts', windows => struct(${structs.mkString(", ")}), $options)""")
  }

  /** A query for each window. They are the parts of a union, so that Spark starts one of them. */
  def apart(in: Feed): DataFrame = windows.zipWithIndex.map { case (one, i) =>
    val (function, own) = one.windrow
    in.marked(
      s"""SELECT ${i}L AS which, key, $bounds, $sums
            FROM $function(TABLE($grouped), time => 'ts', $own, $options, stream => 'w$i')""")
  }.reduce(_ union _)

  def spark(in: Feed): Option[DataFrame] = None

  def plain(in: Feed): DataFrame = {
    val each = windows.zipWithIndex.map { case (one, i) =>
      s"SELECT ${i}L AS which, key, start, end, ${Values.Sums.aggregates} FROM (${one.plain("events", Seq("key"))}) GROUP BY key, start, end"
    }
    in.plain(s"SELECT * FROM (${each.mkString(" UNION ALL ")}) WHERE end <= ${in.until(tables)}")
  }
}
