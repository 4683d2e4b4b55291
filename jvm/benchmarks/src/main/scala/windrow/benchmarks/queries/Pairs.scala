package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Pairs of equal keys at most `within` seconds apart. */
final case class Pairs(within: Int) extends Question {
  private val row =
    "l.key AS key, unix_micros(l.ts) AS start, unix_micros(r.ts) AS end, l.value AS left_value, r.value AS right_value"
  private val join =
    s"lefts l JOIN rights r ON l.key = r.key AND r.ts BETWEEN l.ts - INTERVAL $within SECONDS AND l.ts + INTERVAL $within SECONDS"

  def tables: Seq[String] = Seq("lefts", "rights")

  def windrow(in: Feed, options: String): DataFrame =
    in.marked(s"SELECT ${row.replaceFirst("l.key", "key")} FROM windrow_join(TABLE(SELECT * FROM $join), $options)")

  def spark(in: Feed): Option[DataFrame] = Some(in.marked(s"SELECT $row FROM $join"))

  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT $row FROM lefts l JOIN rights r ON l.key = r.key
        WHERE abs(unix_micros(l.ts) - unix_micros(r.ts)) <= ${within * 1000000L}""")

  override def flink: Option[FlinkTask] = Some(FlinkTask("pairs", Map("within" -> within * 1000000L)))

  override def settings: Map[String, String] = Map("spark.sql.streaming.join.stateFormatVersion" -> "4")
}
