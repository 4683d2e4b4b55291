package windrow.spark.pack

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Describes how the rows of a query's last operator are sent to its shards, in the last line of its explanation. */
private[spark] object ShuffleText {
  def described(explanation: String, plan: LogicalPlan): String =
    (explanation +: plan.collectFirst { case pack: PackNode => s"  shuffle    rows are sent ${pack.travel}" }.toSeq)
      .mkString("\n")
}
