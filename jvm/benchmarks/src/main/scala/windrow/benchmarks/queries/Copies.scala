package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** The events without their copies, which have the same key and event time. */
case object Copies extends Question {
  private val row = Seq("unix_micros(ts) AS at", "key", "value")

  def tables: Seq[String] = Seq("events")

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT ${row.mkString(", ")} FROM windrow_dedup(
          TABLE(events), key => 'key', time => 'ts', within => '60 seconds', $options)""")

  /** Spark remembers a key for the watermark delay, which is the same time. */
  def spark(in: Feed): Option[DataFrame] =
    Some(in.table("events").dropDuplicatesWithinWatermark("key").selectExpr(row: _*))

  def plain(in: Feed): DataFrame = in.plain(s"SELECT DISTINCT ${row.mkString(", ")} FROM events")
}
