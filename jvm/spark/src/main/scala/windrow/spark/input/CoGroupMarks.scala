package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.MetadataBuilder

/** Columns by which a co-group says what windrow must know of its messages. */
private[spark] object CoGroupMarks {

  /** Columns are not called as those of the tables: Spark's optimizer breaks a union of streams of which some only rename. */
  val Marker = "__windrow_of_"

  /** By the names of [[AggregateParts.markers]]. */
  def of(child: LogicalPlan): Map[String, Expression] = child.output.collect {
    case mark if isMark(mark) && mark.name.startsWith(Marker) => mark.name.stripPrefix(Marker) -> mark
  }.toMap

  /** They are no part of a message. A column of the user's is none, whatever it is called. */
  def isMark(column: Attribute): Boolean = column.metadata.contains(Marker)

  /** A column that is none of a message's. */
  def hidden(value: Expression, name: String): Alias = {
    val own = new MetadataBuilder()
    value match {
      case named: NamedExpression => own.withMetadata(named.metadata) // it may have the watermark
      case _                      =>
    }
    Alias(value, name)(explicitMetadata = Some(own.putBoolean(Marker, true).build()))
  }
}
