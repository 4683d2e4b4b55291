package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.IntegerType
import windrow.spark.pack.PacketRows
import windrow.spark.pack.RejectedRows
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

  /** All but the rejected rows, each as a struct: for a query that has no sink for these. */
  case object Accepted extends OutputKind("accepted")

  val OfStream: Seq[OutputKind] = Seq(Panes, Rejected, Events, Answers, All, Accepted)
  val OfJoin: Seq[OutputKind]   = Seq(Rows, Rejected, All, Accepted)
}

/** Rows of one kind in packets.
  *
  * @param number
  *   of the kind in packets
  * @param columns
  *   in packets
  */
private[spark] final case class OutputRows(number: Int, columns: Seq[Attribute])

/** One of the outputs of an operator, as its users see it.
  *
  * @param rows
  *   its rows in the packets; those of several kinds have the same columns for users
  * @param condition
  *   of those that are shown
  */
private[spark] final case class OutputPart(
    kind: OutputKind,
    rows: Seq[OutputRows],
    columns: Seq[Alias],
    condition: Option[Expression] = None)

private[spark] object OutputPart {

  /** @param columns
    *   what is shown, over the columns in packets
    */
  def apply(kind: OutputKind, number: Int, types: Seq[DataType])(columns: Seq[Attribute] => Seq[Alias]): OutputPart = {
    val rows = types.map(AttributeReference("column", _)())
    OutputPart(kind, Seq(OutputRows(number, rows)), columns(rows))
  }

  /** The columns of one output, or `kind` and a struct for each.
    *
    * @param operator
    *   its name
    * @param packets
    *   their first column
    */
  def shown(operator: String, parts: Seq[OutputPart], wanted: OutputKind, packets: LogicalPlan): LogicalPlan = {
    val own = parts.find(_.kind == OutputKind.Rejected).map(one =>
      RejectedRows(operator, one.rows.head.number, one.rows.head.columns, one.columns))
    val asked = wanted match {
      case OutputKind.All      => parts
      case OutputKind.Accepted => parts.filterNot(_.kind == OutputKind.Rejected)
      case one                 => parts.filter(_.kind == one)
    }
    val number       = AttributeReference("number", IntegerType, nullable = false)()
    val (rest, some) = asked.partition(_.kind != OutputKind.Rejected)
    val passed       = if (some.isEmpty) PassedRows.none(packets) else PassedRows(packets)
    val all          = rest ++ some.map(passed.beside(_, number))
    val rows         = all.flatMap(_.rows)
    val unpacked = Unpack(
      packets.output.head,
      rows.map(one => PacketRows(one.number, one.columns.size)),
      if (rows.sizeIs == 1) rows.head.columns else number +: rows.flatMap(_.columns),
      passed.packets,
      own,
      passed.rows.nonEmpty)
    if (asked.map(_.kind) == Seq(wanted)) one(all.head, unpacked) else structs(all, number, unpacked)
  }

  private def one(part: OutputPart, rows: LogicalPlan): LogicalPlan =
    Project(part.columns, part.condition.fold(rows)(Filter(_, rows)))

  private def structs(parts: Seq[OutputPart], number: Attribute, rows: Unpack): LogicalPlan = {
    def isOf(part: OutputPart) =
      if (rows.kind.isEmpty) Literal.TrueLiteral
      else part.rows.map(one => EqualTo(number, Literal(one.number)): Expression).reduce(Or)
    val kinds      = parts.flatMap(part => Seq(isOf(part), Literal(part.kind.toString)))
    val conditions = parts.flatMap(part => part.condition.map(Or(Not(isOf(part)), _)))
    Project(
      Alias(KnownNotNull(CaseWhen.createFromParser(kinds)), "kind")() +: parts.map { part =>
        val struct = OutputColumns.structOf(part.columns.map(field => field.name -> field.child): _*)
        Alias(If(isOf(part), struct, Literal.create(null, struct.dataType)), part.kind.toString)()
      },
      conditions.foldLeft[LogicalPlan](rows)((below, condition) => Filter(condition, below)))
  }
}
