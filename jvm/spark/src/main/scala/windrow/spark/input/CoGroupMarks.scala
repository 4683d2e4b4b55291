package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Columns by which a co-group says what windrow must know of its messages. */
private[spark] object CoGroupMarks {

  /** Columns are not called as those of the tables: Spark's optimizer breaks a union of streams of which some only rename. */
  val Marker = "__windrow_of_"

  /** By the names of [[AggregateParts.markers]]. */
  def of(child: LogicalPlan): Map[String, Expression] = child.output.collect {
    case mark if mark.name.startsWith(Marker) => mark.name.stripPrefix(Marker) -> mark
  }.toMap

  /** They are no part of a message. */
  def isMark(column: Attribute): Boolean = column.name.startsWith(Marker) || column.metadata.contains(Marker)
}
