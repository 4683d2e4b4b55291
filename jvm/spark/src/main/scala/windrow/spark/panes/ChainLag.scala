package windrow.spark.panes

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeMap, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical._
import windrow.SpecProblem
import windrow.core.time.{Axis, Distance}
import windrow.spark.pack.Unpack
import windrow.spark.shards.WindowProcessor

/** Computes how far the rows of earlier operators of the query may be below the query's watermark (SEMANTICS R95).
  * Spark passes the watermark on unchanged, so a later operator subtracts this distance from it.
  */
private[spark] object ChainLag {
  type Lag = Distance[Axis.Time]

  /** Returns the distance for a table.
    *
    * @param time
    *   the time of the rows, over the columns of the table
    * @return
    *   endless if it is unbounded; none without an earlier operator
    */
  def of(table: LogicalPlan, time: Expression): Lag =
    if (table.isStreaming) below(table, Seq(time)) else Distance.none

  /** Returns the greatest bounded distance. */
  def most(lags: Iterable[Lag]): Lag = greatest(lags.filterNot(_.isEndless))

  /** The problem of an unbounded distance: a lateness of 0 would reject rows that are below the watermark. */
  def unbounded(time: Expression): SpecProblem = SpecProblem("WAIT_NOT_BOUNDED", "time" -> time.sql)

  private def greatest(lags: Iterable[Lag]): Lag = new Distance(lags.map(_.value).maxOption.getOrElse(0L))

  /** Returns the distance for a plan.
    *
    * @param reads
    *   the expressions from which the time is computed
    */
  private def below(plan: LogicalPlan, reads: Seq[Expression]): Lag = {
    def over(child: LogicalPlan, meaning: Seq[(Attribute, Expression)]) = {
      val known = AttributeMap(meaning)
      below(child, reads.map(_.transformUp { case a: Attribute => known.getOrElse(a, a) }))
    }
    plan match {
      case Project(columns, child) =>
        over(child, columns.collect { case a @ Alias(value, _) => a.toAttribute -> value })
      case all: Union                 => greatest(all.children.map(one => over(one, all.output.zip(one.output))))
      case WithCTE(over, definitions) => below(UpstreamPanes.inline(over, definitions), reads)
      case rows: Unpack => rows.collectFirst { case shards: TransformWithState => ofRows(rows, shards, reads) }
          .getOrElse(Distance.none)
      case _ => greatest(plan.children.map(child => below(child, reads.flatMap(sources(plan, child, _)))))
    }
  }

  private def ofRows(rows: Unpack, shards: TransformWithState, reads: Seq[Expression]): Lag =
    (shards.statefulProcessor: Any) match {
      case operator: WindowProcessor =>
        val read = AttributeSet.fromAttributeSets(reads.map(SimplifiedExpression(_).references))
        operator.lag + greatest(for {
          kind             <- rows.kinds.map(_.kind)
          (column, number) <- rows.columnsOf(kind).toSeq.flatten.zipWithIndex if read.contains(column)
        } yield operator.program.outputLag(kind, number))
      case _ => Distance.none
    }

  /** Returns the expressions over a child from which an expression over the output of a node is computed. */
  private def sources(plan: LogicalPlan, child: LogicalPlan, read: Expression): Seq[Expression] = {
    def isOf(column: Attribute) = child.outputSet.contains(column)
    lazy val made    = plan.expressions.flatMap(_.collect { case alias: Alias => alias.exprId -> alias.child }).toMap
    lazy val unknown = Some(plan.references.filter(isOf)).filter(_.nonEmpty).getOrElse(child.outputSet).toSeq
    if (read.references.forall(isOf)) Seq(read)
    else read.references.toSeq.flatMap { column =>
      if (plan.children.exists(_.outputSet.contains(column))) Seq(column).filter(isOf)
      else made.get(column.exprId).fold[Seq[Expression]](unknown)(_.references.filter(isOf).toSeq)
    }
  }
}
