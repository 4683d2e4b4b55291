package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Windows of `n` messages of a key, one every `step`. Spark does not support such windows. */
final case class Counted(n: Int, step: Int) extends Question {
  def tables: Seq[String]                = Seq("events")
  override def options: String           = "time => 'ts'"
  def spark(in: Feed): Option[DataFrame] = None

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT key, window.first AS start, window.last AS end, n, total, top FROM windrow_count(
          TABLE(SELECT key, ${Values.Sums.aggregates} FROM events GROUP BY key), n => $n, step => $step, $options)""")

  /** Numbers the messages of a key by event time, which is correct because event times of these sources ascend. */
  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT key, start, start + ${n - 1} AS end, ${Values.Sums.aggregates} FROM (
          SELECT *, explode(sequence(greatest(0, place - $n + $step) DIV $step * $step, place, $step)) AS start FROM (
            SELECT *, row_number() OVER (PARTITION BY key ORDER BY ts) - 1 AS place FROM events))
        GROUP BY key, start HAVING n = $n""")

  override def flink: Option[FlinkTask] =
    Some(FlinkTask("counted", Map("n" -> n.toLong, "step" -> step.toLong), ordered = true))
}
