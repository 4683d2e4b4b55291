package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Windows whose panes carry their messages, each once. Spark does not support such windows. */
final case class Stored(windows: Hops) extends Question {
  def tables: Seq[String]                = Seq("events")
  override def options: String           = "lateness => '0 seconds', retain_time => '60 seconds'"
  def spark(in: Feed): Option[DataFrame] = None

  def windrow(in: Feed, options: String): DataFrame = {
    val (function, own) = windows.windrow
    in.marked(
      s"""SELECT key, start, unix_micros(message.ts) AS at, message.value AS value FROM (
            SELECT key, unix_micros(window.start) AS start, explode(messages) AS message
            FROM $function(TABLE(SELECT * FROM events), key => 'key', time => 'ts', $own, $options))""")
  }

  def plain(in: Feed): DataFrame = in.plain(
    s"SELECT key, start, unix_micros(ts) AS at, value FROM (${windows.plain("events", Seq("key"))})")
}
