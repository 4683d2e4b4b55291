package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import scala.collection.mutable
import windrow.SpecError
import windrow.SpecProblem
import windrow.spark.pack.PassRejected
import windrow.spark.pack.RejectedRows
import windrow.spark.pack.Unpack

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
