package windrow.spark.pack

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode

/** A kind of rows in packets, and how many columns they have. */
final case class PacketRows(kind: Int, columns: Int)

/** The rejected rows of an operator, as they are in its packets.
  *
  * @param operator
  *   the name of the operator
  * @param kind
  *   their number in the packets
  * @param rows
  *   their columns in the packets
  * @param columns
  *   the columns that users see, over those in the packets
  */
private[spark] final case class RejectedRows(
    operator: String,
    kind: Int,
    rows: Seq[Attribute],
    columns: Seq[Alias]) {

  /** The same rows with columns of their own, for another place in a plan. */
  def again: RejectedRows = {
    val fresh = AttributeMap(rows.map(column => column -> column.newInstance()))
    copy(
      rows = rows.map(fresh),
      columns = columns.map(column =>
        Alias(column.child.transform { case a: Attribute => fresh.getOrElse(a, a) }, column.name)()))
  }
}

/** The rows of some kinds that stand in packets (`rows/RowPacket.scala`): of one kind its columns, of several the kind and
  * the columns of all.
  *
  * @param rejected
  *   the rejected rows that are in the same packets; None: they are not those of an operator
  * @param takesPassed
  *   the rows that [[PassRejected]] below sets apart belong to it, too
  */
final case class Unpack(
    packet: Expression,
    kinds: Seq[PacketRows],
    output: Seq[Attribute],
    child: LogicalPlan,
    rejected: Option[RejectedRows] = None,
    takesPassed: Boolean = false)
    extends UnaryNode {

  /** The columns of a kind. */
  def columnsOf(kind: Int): Option[Seq[Attribute]] = kinds.indexWhere(_.kind == kind) match {
    case -1 => None
    case at =>
      val start = (if (kinds.sizeIs == 1) 0 else 1) + kinds.take(at).map(_.columns).sum
      Some(output.slice(start, start + kinds(at).columns))
  }

  /** Which kind a row is of, where there are several. */
  def kind: Option[Attribute] = Option.unless(kinds.sizeIs == 1)(output.head)

  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}
