package windrow.spark.output

import org.apache.spark.sql.catalyst.plans.logical.{CollectMetrics, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.windrow.SqlCallError
import windrow.{ErrorConditions, SpecProblem}

/** The names of the operators of a query. Each operator counts under its own name. */
private[spark] object OperatorNames {

  /** Returns the names of the operators in a plan. An operator follows those whose output it reads. */
  def of(plan: LogicalPlan): Seq[String] = plan.collect {
    case one: CollectMetrics if one.name.startsWith(OutputColumns.Prefix) => OutputColumns.operator(one.name)
  }.reverse.distinct

  /** Returns the names of the operators in a plan whose output no other operator reads. */
  def last(plan: LogicalPlan): Set[String] = of(plan).toSet -- below(plan).values.flatten

  /** Returns the names of the operators in a plan that read no other operator. */
  def first(plan: LogicalPlan): Set[String] =
    below(plan).collect { case (name, others) if others.isEmpty => name }.toSet

  /** Returns for each operator those whose output it reads, directly or through others. */
  private def below(plan: LogicalPlan): Map[String, Set[String]] = plan.collect {
    case one: CollectMetrics if one.name.startsWith(OutputColumns.Prefix) =>
      val name = OutputColumns.operator(one.name)
      name -> (of(one.child).toSet - name)
  }.groupMapReduce(_._1)(_._2)(_ ++ _)

  /** Returns a problem if an operator of the inputs has the same name.
    *
    * @param inputs
    *   the tables of the operator
    */
  def taken(operator: String, inputs: Seq[LogicalPlan]): Option[SpecProblem] = {
    val metrics = OutputColumns.metrics(operator)
    val isTaken = inputs.exists(_.exists { case one: CollectMetrics => one.name == metrics; case _ => false })
    Option.when(isTaken)(SpecProblem("STREAM_NAME_TAKEN.INPUT", "stream" -> operator))
  }

  /** Rejects a query that combines two operators with the same name, for example in a union. Spark would also reject
    * it, but its message would mention metrics that the user did not request.
    */
  object Check extends Rule[LogicalPlan] {
    def apply(plan: LogicalPlan): LogicalPlan = {
      val observed = plan.collectWithSubqueries {
        case one: CollectMetrics if one.name.startsWith(OutputColumns.Prefix) => one.name -> one.dataframeId
      }.distinct
      observed.groupBy(_._1).collectFirst { case (name, all) if all.sizeIs > 1 => name }.foreach { name =>
        val stream  = OutputColumns.operator(name)
        val message = ErrorConditions.message("STREAM_NAME_TAKEN.QUERY", "stream" -> stream)
        throw new SqlCallError("STREAM_NAME_TAKEN", message, None)
      }
      plan
    }
  }
}
