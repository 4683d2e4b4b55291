package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.MetadataBuilder

/** Marks the columns in which a co-group passes the time, keys and identity of its rows. */
private[spark] object CoGroupMarks {

  /** The prefix of the columns. They do not use the names in the tables, because Spark's optimizer breaks a union of
    * streams of which some only rename columns.
    */
  val Marker = "__windrow_of_"

  /** Returns the marked columns by the names of [[AggregateParts.markers]]. */
  def of(child: LogicalPlan): Map[String, Expression] = child.output.collect {
    case mark if isMark(mark) && mark.name.startsWith(Marker) => mark.name.stripPrefix(Marker) -> mark
  }.toMap

  /** Whether a column is marked and therefore not part of a row. A user's column never is, whatever its name. */
  def isMark(column: Attribute): Boolean = column.metadata.contains(Marker)

  /** Creates a marked column. */
  def hidden(value: Expression, name: String): Alias = {
    val own = new MetadataBuilder()
    value match {
      case named: NamedExpression => own.withMetadata(named.metadata) // may contain the watermark
      case _                      =>
    }
    Alias(value, name)(explicitMetadata = Some(own.putBoolean(Marker, true).build()))
  }
}
