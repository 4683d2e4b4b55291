package windrow.spark.pack

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.Coalesce
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.If
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.execution.CollectMetricsExec
import org.apache.spark.sql.execution.SparkPlan

/** Messages that come to windrow, counted by Spark before they are packed: what became of them is counted by the shards,
  * and both must agree (SEMANTICS R74).
  */
private[spark] object ReadCount {

  /** @param metrics
    *   under which the number is observed, as `read`
    * @param messages
    *   how many a row stands for
    * @param end
    *   the row is no message but the end of the input; empty where that does not come
    * @param reach
    *   how far rows bring the watermark of this input, where there are others (SEMANTICS R87)
    */
  def apply(
      metrics: String,
      messages: Expression,
      end: Seq[Expression],
      child: SparkPlan,
      reach: Seq[Attribute] = Nil): SparkPlan = {
    val count   = end.headOption.fold(messages)(If(_, Literal(0L), messages))
    val read    = Coalesce(Seq(Sum(count).toAggregateExpression(), Literal(0L)))
    val reached = reach.map(one => Alias(Max(one).toAggregateExpression(), one.name)())
    CollectMetricsExec(metrics, Alias(read, "read")() +: reached, child)
  }
}
