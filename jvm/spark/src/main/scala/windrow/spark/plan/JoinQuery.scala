package windrow.spark.plan

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.SpecError
import windrow.SpecProblem

/** A join as it is asked for: options that may be wrong, over tables that may not fit. */
private[spark] object JoinQuery {

  /** The builders' way: one table for each stream, with marked columns. */
  def marked(session: SparkSession, node: ObjectNode, tables: Seq[LogicalPlan]): LogicalPlan = {
    val options = JoinOptions.read(node).fold(found => throw SpecError("a join", found), identity)
    marked(session, options, tables)
  }

  def marked(session: SparkSession, options: JoinOptions, tables: Seq[LogicalPlan]): LogicalPlan = {
    val names = options.spec.names
    if (names.size != tables.size)
      throw SpecError(
        "windrow_apply",
        Seq(SpecProblem("TABLE_MISSING", s"a join of ${names.size} streams has ${tables.size} tables.")))
    val inputs = names.zip(tables).map { case (name, table) =>
      JoinInput.marked(name, table, options.on.size, options.watermarks.get(name))
    }
    JoinPlan(session, options, inputs)
  }
}
