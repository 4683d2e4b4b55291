package windrow.benchmarks.queries

import org.apache.spark.sql.{DataFrame, SparkSession}

/** The input of a query: the tables of a source, as streams or batch tables, which are registered as temporary views.
  */
final class Feed(session: SparkSession, source: Source, tables: Map[String, DataFrame]) {

  /** @param later
    *   seconds added to the watermark delay that the source needs
    */
  def marked(text: String, later: Int = 0): DataFrame =
    said(text)(_.withWatermark("ts", s"${source.delay + later} seconds"))

  /** Queries all events at once. */
  def plain(text: String): DataFrame = said(text)(identity)

  def table(name: String): DataFrame = tables(name).withWatermark("ts", s"${source.delay} seconds")

  /** Returns Spark's watermark after all events, in microseconds. */
  def until(names: Seq[String]): Long = {
    val latest = names.map(tables(_).selectExpr("max(unix_millis(ts))").head().getLong(0)).min
    (latest - source.delay * 1000L) * 1000L
  }

  private def said(text: String)(view: DataFrame => DataFrame): DataFrame = {
    tables.foreach { case (name, rows) => view(rows).createOrReplaceTempView(name) }
    session.sql(text)
  }
}
