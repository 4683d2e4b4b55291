package windrow.benchmarks.queries

/** Windows of event time, in the form that each contender needs, in seconds. */
sealed trait Windows {

  /** Returns Spark's own grouping. */
  def spark: String

  /** Returns Windrow's function and its specific arguments. */
  def windrow: (String, String)

  /** Returns a query that joins each row of a table with `start` and `end` of each of its windows, in microseconds. */
  def plain(table: String, keys: Seq[String]): String

  def flink(numbers: Map[String, Long]): FlinkTask
}

final case class Hops(size: Int, step: Int) extends Windows {
  private val (long, apart) = (size * 1000000L, step * 1000000L)
  require(size % step == 0, s"$size is not a multiple of $step")

  def spark: String = s"window(ts, '$size seconds', '$step seconds')"

  def windrow: (String, String) =
    if (size == step) ("windrow_tumble", s"size => '$size seconds'")
    else ("windrow_hop", s"size => '$size seconds', step => '$step seconds'")

  def plain(table: String, keys: Seq[String]): String =
    s"""SELECT *, start + $long AS end FROM (
          SELECT *, explode(sequence(last - $long + $apart, last, $apart)) AS start
          FROM (SELECT *, unix_micros(ts) DIV $apart * $apart AS last FROM $table))"""

  def flink(numbers: Map[String, Long]): FlinkTask = FlinkTask("hops", numbers ++ Map("size" -> long, "step" -> apart))
}

final case class Gaps(gap: Int) extends Windows {
  private val distance = gap * 1000000L

  def spark: String             = s"session_window(ts, '$gap seconds')"
  def windrow: (String, String) = ("windrow_session", s"gap => '$gap seconds'")

  def plain(table: String, keys: Seq[String]): String = {
    val ofKey = s"PARTITION BY ${keys.mkString(", ")}"
    s"""SELECT *, min(micros) OVER (${ofKey}, nth) AS start, max(micros) OVER ($ofKey, nth) + $distance AS end FROM (
          SELECT *, sum(if(before >= micros - $distance, 0, 1)) OVER ($ofKey ORDER BY micros) AS nth FROM (
            SELECT *, lag(micros) OVER ($ofKey ORDER BY micros) AS before
            FROM (SELECT *, unix_micros(ts) AS micros FROM $table)))"""
  }

  def flink(numbers: Map[String, Long]): FlinkTask = FlinkTask("gaps", numbers + ("gap" -> distance))
}
