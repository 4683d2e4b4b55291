package windrow.spark.output

import org.apache.spark.sql.Column
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions
import org.apache.spark.sql.windrow.SparkInside

/** What shards have counted reaches `StreamingQueryProgress.observedMetrics` whoever reads the rows (SEMANTICS R74). It is
  * summed packet by packet: a pane pays nothing for it.
  */
private[spark] object Observed {

  /** The packets that shards give, one binary column.
    *
    * @param stream
    *   under whose name they are observed
    * @param number
    *   of shards, all of which must tell how many windows are open
    */
  def apply(
      session: SparkSession,
      stream: String,
      shards: LogicalPlan,
      counts: CountColumns,
      number: Int = 1): LogicalPlan = {
    val sum   = sumOf(shards.output.head, counts) _
    val sums  = counts.names.map(name => sum(name).as(name)) ++ (if (counts.windows) openWindows(number, sum) else Nil)
    val frame = SparkInside.frame(session, shards).observe(OutputColumns.metrics(stream), sums.head, sums.tail: _*)
    SparkInside.plan(frame)
  }

  private val Open = Seq("open", "change", "told", "untold")

  private def sumOf(packet: Expression, counts: CountColumns)(name: String): Column =
    SparkInside.column(PacketSum(packet, (counts.names ++ Open).indexOf(name)).toAggregateExpression())

  /** A shard that rests in a batch tells nothing; where the watermark moves none does. */
  private def openWindows(shards: Int, sum: String => Column): Seq[Column] = Seq(
    functions.when(sum("told") === shards.toLong, sum("open")).as(CountColumns.OpenWindows),
    functions.when(sum("untold") === 0L, sum("change")).as(CountColumns.OpenChange))
}
