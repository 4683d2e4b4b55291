package windrow.spark.pack

import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Coalesce, Expression, If, Literal}
import org.apache.spark.sql.execution.{CollectMetricsExec, SparkPlan}
import windrow.spark.version.Arithmetic

/** Counts the rows of an operator's input in Spark, before they are packed. The shards count the results, and both
  * counts must agree (SEMANTICS R74).
  */
private[spark] object ReadCount {

  /** Adds the count.
    *
    * @param metrics
    *   the name under which the number is observed, as `read`
    * @param messages
    *   how many input rows a row represents
    * @param end
    *   whether the row marks the end of the input; empty if the input is unbounded
    * @param reach
    *   how far rows advance the watermark of this input, if there are several inputs (SEMANTICS R87)
    */
  def apply(
      metrics: String,
      messages: Expression,
      end: Seq[Expression],
      child: SparkPlan,
      reach: Seq[Attribute] = Nil): SparkPlan = {
    val count   = end.headOption.fold(messages)(If(_, Literal(0L), messages))
    val read    = Coalesce(Seq(Arithmetic.sum(count).toAggregateExpression(), Literal(0L)))
    val reached = reach.map(one => Alias(Max(one).toAggregateExpression(), one.name)())
    CollectMetricsExec(metrics, Alias(read, "read")() +: reached, child)
  }
}
