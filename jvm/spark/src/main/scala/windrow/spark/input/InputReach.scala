package windrow.spark.input

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.TransformWithState
import org.apache.spark.sql.functions
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.windrow.SparkInside

/** How far each of several inputs brings the watermark: the least of all holds the query's back (SEMANTICS R87). */
private[spark] object InputReach {

  /** Under which it is observed, in microseconds. */
  val Name = "watermark"

  /** Of each row of a table what the watermark would be if there were no others. None: the table has several watermarks, or
    * goes by that of another operator.
    */
  private def of(table: LogicalPlan): Option[Expression] = {
    val marked = table.output.filter(column =>
      column.metadata.contains(EventTimeWatermark.delayKey) && column.dataType == TimestampType)
    Option.when(
      table.isStreaming && marked.size == 1 && WatermarkCheck.marks(table) == 1 &&
        !table.exists(_.isInstanceOf[TransformWithState])) {
      val delay = marked.head.metadata.getLong(EventTimeWatermark.delayKey)
      Subtract(
        PreciseTimestampConversion(marked.head, TimestampType, LongType),
        Literal(delay * 1000),
        EvalMode.LEGACY)
    }
  }

  /** A table whose reach is observed. */
  def observed(session: SparkSession, reach: Expression, metrics: String, table: LogicalPlan): LogicalPlan = {
    val column = Alias(reach, "__windrow_reach")()
    val frame  = SparkInside.frame(session, Project(table.output :+ column, table))
    SparkInside.plan(frame.observe(metrics, functions.max(column.name).as(Name)))
  }

  /** Of several tables with their watermarks; none, if one of them does not tell. */
  def ofAll(tables: Seq[LogicalPlan]): Seq[Option[Expression]] = {
    val found = tables.map(of)
    if (found.forall(_.isDefined)) found else tables.map(_ => None)
  }
}
