package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.types.{DataType, IntegerType}
import scala.collection.mutable
import windrow.spark.pack.{PacketRows, PassRejected, RejectedRows, Unpack}
import windrow.{SpecError, SpecProblem}

/** The outputs of a query that a user can select. */
sealed abstract class OutputKind(override val toString: String)

object OutputKind {
  case object Panes    extends OutputKind("panes")
  case object Rows     extends OutputKind("rows")
  case object Rejected extends OutputKind("rejected")
  case object Events   extends OutputKind("events")
  case object Answers  extends OutputKind("answers")

  /** All outputs, each as a struct. */
  case object All extends OutputKind("all")

  /** All outputs except the rejected rows, each as a struct. For a query without a sink for rejected rows. */
  case object Accepted extends OutputKind("accepted")

  val OfStream: Seq[OutputKind] = Seq(Panes, Rejected, Events, Answers, All, Accepted)

  /** The outputs of operators that emit rows instead of panes. */
  val OfRows: Seq[OutputKind] = Seq(Rows, Rejected, All, Accepted)
}

/** The rows of one kind in packets.
  *
  * @param number
  *   the number of the kind in the packets
  * @param columns
  *   the columns in the packets
  */
private[spark] final case class OutputRows(number: Int, columns: Seq[Attribute])

/** One output of an operator, as users see it.
  *
  * @param rows
  *   its rows in the packets. Kinds of rows that belong to one output have the same columns for users.
  * @param condition
  *   selects the rows that are shown
  */
private[spark] final case class OutputPart(
    kind: OutputKind,
    rows: Seq[OutputRows],
    columns: Seq[Alias],
    condition: Option[Expression] = None)

private[spark] object OutputPart {

  /** Creates an output from one kind of rows.
    *
    * @param columns
    *   the columns that are shown, over the columns in the packets
    */
  def apply(kind: OutputKind, number: Int, types: Seq[DataType])(columns: Seq[Attribute] => Seq[Alias]): OutputPart = {
    val rows = types.map(AttributeReference("column", _)())
    OutputPart(kind, Seq(OutputRows(number, rows)), columns(rows))
  }

  /** Returns the columns of one output, or `kind` and a struct for each output.
    *
    * @param operator
    *   the name of the operator
    * @param packets
    *   the plan whose first column contains the packets
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

/** The rejected rows of earlier operators whose panes are this operator's input. They leave the query together with the
  * rejected rows of this operator (SEMANTICS B14).
  *
  * @param packets
  *   the packets of this operator, with [[PassRejected]] in their plan
  * @param rows
  *   the rejected rows by the number that the [[Unpack]] above assigns to them
  */
private[output] final case class PassedRows(packets: LogicalPlan, rows: Seq[(Int, RejectedRows)]) {

  /** Adds these rows to the rejected rows of the operator. The columns are those of its own rejected rows, whose
    * message is null for the added ones, then one struct for each earlier operator, then other columns of theirs.
    *
    * @param number
    *   the number of the kind of a row
    */
  def beside(own: OutputPart, number: Attribute): OutputPart = if (rows.isEmpty) own
  else {
    val all  = (own.rows.head.number -> own.columns) +: rows.map { case (kind, one) => kind -> one.columns }
    val more = all.flatMap(_._2.init).filterNot(one => own.columns.exists(_.name == one.name)).distinctBy(_.name)
    PassedRows.check(rows.map(_._2.operator), (own.columns ++ more).map(_.name))
    def isOf(kind: Int) = EqualTo(number, Literal(kind))
    def shown(column: Alias) = {
      val value = CaseWhen.createFromParser(all.flatMap { case (kind, columns) =>
        val own = columns.init.find(_.name == column.name)
        Seq(isOf(kind), own.fold[Expression](Literal.create(null, column.dataType))(_.child))
      })
      Alias(if (column.nullable) value else KnownNotNull(value), column.name)()
    }
    val messages = (own.columns.last.name +: rows.map(_._2.operator)).zip(all).map { case (name, (kind, columns)) =>
      val message = columns.last.child
      Alias(If(isOf(kind), message, Literal.create(null, message.dataType)), name)()
    }
    own.copy(
      rows = own.rows ++ rows.map { case (kind, one) => OutputRows(kind, one.rows) },
      columns = own.columns.init.map(shown) ++ messages ++ more.map(shown))
  }
}

private[output] object PassedRows {

  /** The first number for the rejected rows of earlier operators. An operator's own kinds have smaller numbers. */
  private val First = 16

  def none(packets: LogicalPlan): PassedRows = PassedRows(packets, Nil)

  /** Returns the rejected rows of all earlier operators, except of those whose rejected rows the user already reads. */
  def apply(packets: LogicalPlan): PassedRows = {
    val before = packets.collectWithSubqueries { case one: PassRejected => one.to }
    val rows   = mutable.LinkedHashMap.empty[String, (Int, RejectedRows)]
    val passing = packets.transformUpWithSubqueries {
      case PassedUnpack(below, rejected) =>
        val next    = (before ++ rows.values.map(_._1)).foldLeft(First)((free, one) => math.max(free, one + 1))
        val (to, _) = rows.getOrElseUpdate(rejected.operator, next -> rejected.again)
        below.copy(child = PassRejected(below.packet.asInstanceOf[Attribute], rejected.kind, to, below.child))
    }
    PassedRows(passing, rows.values.toSeq)
  }

  private object PassedUnpack {
    def unapply(rows: Unpack): Option[(Unpack, RejectedRows)] = rows.rejected.filter(rejected =>
      rows.columnsOf(rejected.kind).isEmpty && !rows.child.isInstanceOf[PassRejected]).map(rows -> _)
  }

  /** Checks that each column has its own name, regardless of case. */
  private def check(operators: Seq[String], columns: Seq[String]): Unit = {
    val taken = operators.zipWithIndex.filter { case (name, i) =>
      (columns ++ operators.take(i)).exists(_.equalsIgnoreCase(name))
    }
    if (taken.nonEmpty)
      throw SpecError("rejected", taken.map { case (name, _) => SpecProblem("NAME_TAKEN.REJECTED", "name" -> name) })
  }
}
