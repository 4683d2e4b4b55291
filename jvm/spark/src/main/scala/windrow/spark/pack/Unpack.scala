package windrow.spark.pack

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** A kind of rows in packets, and its number of columns. */
final case class PacketRows(kind: Int, columns: Int)

/** The rejected rows of an operator in its packets.
  *
  * @param operator
  *   the name of the operator
  * @param kind
  *   the number of their kind in the packets
  * @param rows
  *   their columns in the packets
  * @param columns
  *   the columns that users see, over the columns in the packets
  */
private[spark] final case class RejectedRows(
    operator: String,
    kind: Int,
    rows: Seq[Attribute],
    columns: Seq[Alias]) {

  /** Returns the same rows with new columns, for another place in a plan. */
  def again: RejectedRows = {
    val fresh = AttributeMap(rows.map(column => column -> column.newInstance()))
    copy(
      rows = rows.map(fresh),
      columns = columns.map(column =>
        Alias(column.child.transform { case a: Attribute => fresh.getOrElse(a, a) }, column.name)()))
  }
}

/** Reads the rows of some kinds from packets (`rows/RowPacket.scala`). The output for one kind is its columns; for
  * several kinds, the kind and the columns of all.
  *
  * @param rejected
  *   the rejected rows in the same packets; None if the packets are not those of an operator
  * @param takesPassed
  *   whether the output includes the rows that [[PassRejected]] nodes below have separated
  */
final case class Unpack(
    packet: Expression,
    kinds: Seq[PacketRows],
    output: Seq[Attribute],
    child: LogicalPlan,
    rejected: Option[RejectedRows] = None,
    takesPassed: Boolean = false)
    extends UnaryNode {

  /** Returns the columns of a kind. */
  def columnsOf(kind: Int): Option[Seq[Attribute]] = kinds.indexWhere(_.kind == kind) match {
    case -1 => None
    case at =>
      val start = (if (kinds.sizeIs == 1) 0 else 1) + kinds.take(at).map(_.columns).sum
      Some(output.slice(start, start + kinds(at).columns))
  }

  /** The column with the kind of a row, if there are several. */
  def kind: Option[Attribute] = Option.unless(kinds.sizeIs == 1)(output.head)

  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}
