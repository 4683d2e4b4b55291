package windrow.spark.output

import java.util.Locale
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.functions
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.windrow.SparkInside
import windrow.Reason

/** What shards have counted, and rejected messages by their reason: they reach `StreamingQueryProgress.observedMetrics`
  * whoever reads the rows (SEMANTICS R74).
  */
private[spark] object Observed {

  /** @param metrics
    *   under which they are observed
    * @param counts
    *   columns of the rows, and as what they are shown
    * @param reason
    *   of a row that is a rejected message; null of others
    */
  def apply(
      session: SparkSession,
      metrics: String,
      rows: LogicalPlan,
      counts: Seq[(Attribute, String)],
      reason: Expression): LogicalPlan = {
    val named = AttributeMap(counts.map { case (count, as) => count -> Alias(count, as)() })
    val frame = SparkInside.frame(
      session,
      Project(rows.output.map(column => named.getOrElse(column, column)) :+ Alias(reason, "reason")(), rows))
    val sums = counts.map { case (_, as) => functions.coalesce(functions.sum(as), functions.lit(0L)).as(as) }
    val lost = Reason.All.map(_.toString).map(one =>
      functions.count_if(functions.col("reason") === one).as(one.toLowerCase(Locale.ROOT)))
    SparkInside.plan(frame.observe(metrics, sums.head, sums.tail ++ lost: _*))
  }

  /** The reason of a row of rejected messages. */
  def reasonOf(isRejected: Expression, reason: Expression): Expression =
    If(isRejected, reason, Literal.create(null, StringType))
}
