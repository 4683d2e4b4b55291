package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Each event of the left table with the last one of its key in the right table, at most `within` seconds before it.
  *
  * @param corrects
  *   whether a row is emitted at once and corrected later, and not once when it is final
  */
final case class LastRights(within: Int, override val corrects: Boolean) extends Question {
  private val none  = "coalesce(r.value, -1) AS right_value"
  private val early = if (corrects) "each_batch" else "never"
  private val more  = if (corrects) ", CAST(pane.is_retraction AS BIGINT) AS retraction" else ""

  def tables: Seq[String] = Seq("lefts", "rights")

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT key, unix_micros(l.ts) AS at, l.value AS left_value, $none$more FROM windrow_asof_join(
          TABLE(SELECT * FROM lefts l LEFT JOIN rights r ON l.key = r.key), time => 'ts',
          tolerance => '$within seconds', early => '$early', $options)""")

  def spark(in: Feed): Option[DataFrame] = None

  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT key, at, left_value, coalesce(right.value, -1) AS right_value FROM (
          SELECT l.key AS key, unix_micros(l.ts) AS at, l.value AS left_value, max(struct(r.ts, r.value)) AS right
          FROM lefts l LEFT JOIN rights r ON l.key = r.key AND unix_micros(r.ts)
            BETWEEN unix_micros(l.ts) - ${within * 1000000L} AND unix_micros(l.ts)
          GROUP BY l.key, l.ts, l.value)
        WHERE at < ${in.until(tables)}""")

  override def settled(rows: DataFrame, until: Long): DataFrame =
    rows.where(col("at") < until).groupBy("key", "at", "left_value", "right_value")
      .agg(sum(lit(1) - col("retraction") * 2).as("n")).where("n > 0").drop("n")
}
