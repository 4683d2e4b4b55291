package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.MetadataBuilder
import windrow.TimeSpan

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

  /** The delay of a watermark that follows processing time, in the metadata of the marked columns. */
  private val Clock = "__windrow_clock"

  /** Returns the delay of the watermark of all streams if it follows processing time. Only SQL marks it, because the
    * builders pass it to the operator themselves.
    */
  def clock(child: LogicalPlan): Option[TimeSpan] =
    child.output.collectFirst { case mark if isMark(mark) && mark.metadata.contains(Clock) => mark.metadata }
      .map(found => TimeSpan(found.getLong(Clock)))

  /** Creates a marked column.
    *
    * @param behind
    *   the delay that [[clock]] returns
    */
  def hidden(value: Expression, name: String, behind: Option[TimeSpan] = None): Alias = {
    val own = new MetadataBuilder()
    value match {
      case named: NamedExpression => own.withMetadata(named.metadata) // may contain the watermark
      case _                      =>
    }
    behind.foreach(delay => own.putLong(Clock, delay.micros))
    Alias(value, name)(explicitMetadata = Some(own.putBoolean(Marker, true).build()))
  }
}
