package windrow.spark.pack

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** How the messages of a query's last operator come to its shards, as the last line of what explains it. */
private[spark] object Travel {
  def told(explanation: String, plan: LogicalPlan): String =
    (explanation +: plan.collectFirst { case pack: PackNode => s"  shuffle    messages travel ${pack.travel}" }.toSeq)
      .mkString("\n")
}
