package windrow.spark.panes

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TransformWithState}
import windrow.SpecProblem
import windrow.spark.pack.Unpack
import windrow.spark.shards.{ShardProgram, WindowProcessor}

/** A program that can retract rows that it has emitted. */
private[spark] trait RetractingProgram extends ShardProgram {

  /** The name of the operator's stream. */
  def stream: String

  /** The kind of its rows and the position of their column `is_retraction`; None if it retracts none. */
  def retraction: Option[(Int, Int)]
}

/** An earlier operator of the same query that retracts rows, which another operator reads (SEMANTICS R109).
  *
  * @param conditions
  *   conditions that all rows fulfill that reach the later operator
  * @param reads
  *   the inputs of each aggregate of the later operator
  */
private[spark] final case class UpstreamRows(
    stream: String,
    isRetraction: Attribute,
    conditions: Seq[Expression],
    reads: Seq[Expression]) {
  private def knows(some: Expression) = SimplifiedExpression(some).references.contains(isRetraction)

  /** Whether every aggregate receives each row and its retraction, and distinguishes them. */
  private def areTakenBack =
    reads.nonEmpty && reads.forall(knows) && !conditions.exists(one => knows(one) || !UpstreamPanes.isLasting(one))

  /** Returns the problem of an operator that would count a row and its retraction.
    *
    * @param aggregates
    *   whether the operator aggregates rows
    */
  def problem(aggregates: Boolean): Option[SpecProblem] =
    Option.unless(aggregates && areTakenBack)(SpecProblem("ROWS_COME_AGAIN", "stream" -> stream))
}

private[spark] object UpstreamRows {

  /** Returns the operators that retract rows which a table contains.
    *
    * @param reads
    *   over the table
    */
  def of(table: LogicalPlan, reads: Seq[Expression] = Nil): Seq[UpstreamRows] =
    UpstreamPanes.below(table, Nil, reads)(operator)

  private def operator(
      shards: TransformWithState,
      rows: Unpack,
      conditions: Seq[Expression],
      reads: Seq[Expression]): Option[UpstreamRows] = (shards.statefulProcessor: Any) match {
    case processor: WindowProcessor => for {
        program    <- Some(processor.program).collect { case program: RetractingProgram => program }
        (kind, at) <- program.retraction
        columns    <- rows.columnsOf(kind)
      } yield UpstreamRows(program.stream, columns(at), conditions, reads)
    case _ => None
  }
}
