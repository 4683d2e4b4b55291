package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project

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

/** Rows of one kind among those that leave an operator.
  *
  * @param isOf
  *   a row is of this kind
  */
private[spark] final case class OutputPart(kind: OutputKind, isOf: Expression, columns: Seq[Alias])

private[spark] object OutputPart {

  /** The columns of one kind, or `kind` and a struct for each. */
  def shown(parts: Seq[OutputPart], wanted: OutputKind, rows: LogicalPlan): LogicalPlan =
    parts.find(_.kind == wanted) match {
      case Some(one) => Project(one.columns, Filter(one.isOf, rows))
      case None =>
        val kinds = parts.flatMap(part => Seq(part.isOf, Literal(part.kind.toString)))
        Project(
          Alias(KnownNotNull(CaseWhen.createFromParser(kinds)), "kind")() +: parts.map { part =>
            val struct = OutputColumns.structOf(part.columns.map(field => field.name -> field.child): _*)
            Alias(If(part.isOf, struct, Literal.create(null, struct.dataType)), part.kind.toString)()
          },
          Filter(parts.map(_.isOf).reduce(Or), rows))
    }
}
