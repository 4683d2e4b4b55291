package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.IntegerType
import windrow.spark.pack.PacketRows
import windrow.spark.pack.Unpack

/** Which of its outputs a query gives. */
sealed abstract class OutputKind(override val toString: String)

object OutputKind {
  case object Panes    extends OutputKind("panes")
  case object Rows     extends OutputKind("rows")
  case object Rejected extends OutputKind("rejected")
  case object Events   extends OutputKind("events")
  case object Answers  extends OutputKind("answers")

  /** All of them, each as a struct. */
  case object All extends OutputKind("all")

  val OfStream: Seq[OutputKind] = Seq(Panes, Rejected, Events, Answers, All)
  val OfJoin: Seq[OutputKind]   = Seq(Rows, Rejected, All)
}

/** Rows of one kind among those in the packets of an operator, as its users see them.
  *
  * @param number
  *   of the kind in packets
  * @param rows
  *   the columns in packets
  * @param condition
  *   of those that are shown
  */
private[spark] final case class OutputPart(
    kind: OutputKind,
    number: Int,
    rows: Seq[Attribute],
    columns: Seq[Alias],
    condition: Option[Expression] = None)

private[spark] object OutputPart {

  /** @param columns
    *   what is shown, over the columns in packets
    */
  def apply(kind: OutputKind, number: Int, types: Seq[DataType])(columns: Seq[Attribute] => Seq[Alias]): OutputPart = {
    val rows = types.map(AttributeReference("column", _)())
    OutputPart(kind, number, rows, columns(rows))
  }

  /** The columns of one kind, or `kind` and a struct for each.
    *
    * @param packets
    *   their first column
    */
  def shown(parts: Seq[OutputPart], wanted: OutputKind, packets: LogicalPlan): LogicalPlan =
    parts.find(_.kind == wanted) match {
      case Some(one) =>
        val rows = Unpack(packets.output.head, Seq(PacketRows(one.number, one.rows.size)), one.rows, packets)
        Project(one.columns, one.condition.fold[LogicalPlan](rows)(Filter(_, rows)))
      case None => all(parts, packets)
    }

  private def all(parts: Seq[OutputPart], packets: LogicalPlan): LogicalPlan = {
    val number = AttributeReference("number", IntegerType, nullable = false)()
    val rows = Unpack(
      packets.output.head,
      parts.map(part => PacketRows(part.number, part.rows.size)),
      number +: parts.flatMap(_.rows),
      packets)
    def isOf(part: OutputPart) = EqualTo(number, Literal(part.number))
    val kinds                  = parts.flatMap(part => Seq(isOf(part), Literal(part.kind.toString)))
    val conditions             = parts.flatMap(part => part.condition.map(Or(Not(isOf(part)), _)))
    Project(
      Alias(KnownNotNull(CaseWhen.createFromParser(kinds)), "kind")() +: parts.map { part =>
        val struct = OutputColumns.structOf(part.columns.map(field => field.name -> field.child): _*)
        Alias(If(isOf(part), struct, Literal.create(null, struct.dataType)), part.kind.toString)()
      },
      conditions.foldLeft[LogicalPlan](rows)((below, condition) => Filter(condition, below)))
  }
}
