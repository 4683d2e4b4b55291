package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.IntegerType
import scala.collection.mutable
import windrow.SpecError
import windrow.SpecProblem
import windrow.spark.pack.PacketRows
import windrow.spark.pack.PassRejected
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

/** The rejected rows of the operators whose panes an operator takes. They leave the query with its own (SEMANTICS B14).
  *
  * @param packets
  *   of the operator, with [[PassRejected]] in its plan
  * @param rows
  *   by their number for the [[Unpack]] above
  */
private[output] final case class PassedRows(packets: LogicalPlan, rows: Seq[(Int, RejectedRows)]) {

  /** The rejected rows of the operator and these. Columns: those of the operator's own, whose message is null for the others,
    * then a struct for each operator below.
    *
    * @param number
    *   of the kind of a row
    */
  def beside(own: OutputPart, number: Attribute): OutputPart = if (rows.isEmpty) own
  else {
    PassedRows.check(rows.map(_._2.operator), own.columns.map(_.name))
    val all             = (own.rows.head.number -> own.columns) +: rows.map { case (kind, one) => kind -> one.columns }
    def isOf(kind: Int) = EqualTo(number, Literal(kind))
    val known = own.columns.init.zipWithIndex.map { case (column, i) =>
      val value = CaseWhen.createFromParser(all.flatMap { case (kind, columns) => Seq(isOf(kind), columns(i).child) })
      Alias(if (column.nullable) value else KnownNotNull(value), column.name)()
    }
    val messages = (own.columns.last.name +: rows.map(_._2.operator)).zip(all).map { case (name, (kind, columns)) =>
      val message = columns.last.child
      Alias(If(isOf(kind), message, Literal.create(null, message.dataType)), name)()
    }
    own.copy(
      rows = own.rows ++ rows.map { case (kind, one) => OutputRows(kind, one.rows) },
      columns = known ++ messages)
  }
}

private[output] object PassedRows {

  /** Numbers of kinds that no operator has for its own rows. */
  private val First = 16

  def none(packets: LogicalPlan): PassedRows = PassedRows(packets, Nil)

  /** Those of all operators below, unless one's user reads them there. */
  def apply(packets: LogicalPlan): PassedRows = {
    val before = packets.collectWithSubqueries { case one: PassRejected => one.to }
    val rows   = mutable.LinkedHashMap.empty[String, (Int, RejectedRows)]
    val passing = packets.transformUpWithSubqueries {
      case Passing(below, rejected) =>
        val next    = (before ++ rows.values.map(_._1)).foldLeft(First)((free, one) => math.max(free, one + 1))
        val (to, _) = rows.getOrElseUpdate(rejected.operator, next -> rejected.again)
        below.copy(child = PassRejected(below.packet.asInstanceOf[Attribute], rejected.kind, to, below.child))
    }
    PassedRows(passing, rows.values.toSeq)
  }

  private object Passing {
    def unapply(rows: Unpack): Option[(Unpack, RejectedRows)] = rows.rejected.filter(rejected =>
      rows.columnsOf(rejected.kind).isEmpty && !rows.child.isInstanceOf[PassRejected]).map(rows -> _)
  }

  /** Each column has a name of its own, however names are compared. */
  private def check(operators: Seq[String], columns: Seq[String]): Unit = {
    val taken = operators.zipWithIndex.filter { case (name, i) =>
      (columns ++ operators.take(i)).exists(_.equalsIgnoreCase(name))
    }
    if (taken.nonEmpty)
      throw SpecError("rejected", taken.map { case (name, _) => SpecProblem("NAME_TAKEN.REJECTED", "name" -> name) })
  }
}
