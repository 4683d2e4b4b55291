package windrow.spark.running

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Union}
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.pack.{EndMarker, PackNode}
import windrow.{SpecError, SpecProblem}

/** Gives a query an end: each of its operators also reads a folder in which one line of text marks the end of the
  * input, so that every window completes (SEMANTICS R71).
  */
private[spark] object BoundedInput {

  /** Adds the end to a query.
    *
    * @param folder
    *   a folder that exists from the query's first micro-batch on
    */
  def apply(session: SparkSession, query: LogicalPlan, folder: String): LogicalPlan = {
    val found = problems(query)
    if (found.nonEmpty) throw SpecError("windrow_until", found)
    val end = EndMarker(folder)
    query.transform { case pack: PackNode => pack.bounded(end, withEnd(session, pack.child, end)) }
  }

  private def problems(query: LogicalPlan): Seq[SpecProblem] = {
    if (!query.isStreaming)
      Seq(SpecProblem("NOT_STREAMING.BOUNDED"))
    else if (!query.exists(_.isInstanceOf[PackNode]))
      Seq(SpecProblem("OPERATOR_MISSING.QUERY"))
    else Nil
  }

  /** Adds a flag to rows, which is true only for a row that marks the end. */
  private def withEnd(session: SparkSession, rows: LogicalPlan, end: EndMarker): LogicalPlan = {
    val lines                = SparkInside.plan(session.readStream.text(end.pattern))
    def flagged(is: Boolean) = Alias(Literal(is), "end")()
    val nothing              = rows.output.map(column => Alias(Literal.create(null, column.dataType), column.name)())
    Union(Seq(Project(rows.output :+ flagged(false), rows), Project(nothing :+ flagged(true), lines)))
  }
}
