package windrow.spark.plan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.SpecError
import windrow.SpecProblem

/** A window query as it is asked for: options that may be wrong, over a table that may be no aggregation. */
object WindowQuery {

  /** @param subject
    *   what a message about the options calls them
    */
  def plan(
      session: SparkSession,
      subject: => String,
      options: Either[Seq[SpecProblem], QueryOptions],
      table: LogicalPlan): LogicalPlan = {
    val parts = AggregateParts.of(table)
    val found = options.fold(identity, read => QueryLimits(read.spec)) ++ parts.left.getOrElse(Nil)
    (options, parts) match {
      case (Right(read), Right(taken)) if found.isEmpty => WindowPlan(session, read, taken)
      case _                                            => throw SpecError(subject, found)
    }
  }
}
