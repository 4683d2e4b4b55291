package windrow.spark.testing

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation

private[testing] object StreamedSources extends FedSources {
  override def of(node: LogicalPlan): Option[DataSource] = node match {
    case read: StreamingRelation => Some(read.dataSource)
    case _                       => None
  }
}
