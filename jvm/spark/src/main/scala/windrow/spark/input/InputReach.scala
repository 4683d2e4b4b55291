package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Project, TransformWithState}
import org.apache.spark.sql.types.{LongType, TimestampType}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{SparkSession, functions}
import windrow.spark.watermark.WatermarkRule

/** Observes how far each of several inputs advances the watermark. The least advanced one holds back the query
  * (SEMANTICS R87).
  */
private[spark] object InputReach {

  /** The name of the observed value, in microseconds. */
  val Name = "watermark"

  /** Returns, for each row of a table, the watermark that the query would have without other inputs. Returns None if
    * the table has several watermarks, one for each partition, or follows the watermark of another operator.
    */
  private def of(table: LogicalPlan): Option[Expression] = {
    val marked = table.output.filter(column =>
      column.metadata.contains(EventTimeWatermark.delayKey) && column.dataType == TimestampType)
    Option.when(
      table.isStreaming && marked.size == 1 && WatermarkCheck.marks(table) == 1 &&
        !table.exists(_.isInstanceOf[TransformWithState]) && WatermarkRule.of(marked.head).partitions.isEmpty) {
      val delay = marked.head.metadata.getLong(EventTimeWatermark.delayKey)
      Subtract(
        PreciseTimestampConversion(marked.head, TimestampType, LongType),
        Literal(delay * 1000),
        EvalMode.LEGACY)
    }
  }

  /** Adds the observation to a table. */
  def observed(session: SparkSession, reach: Expression, metrics: String, table: LogicalPlan): LogicalPlan = {
    val column = Alias(reach, "__windrow_reach")()
    val frame  = SparkInside.frame(session, Project(table.output :+ column, table))
    SparkInside.plan(frame.observe(metrics, functions.max(column.name).as(Name)))
  }

  /** Returns the expressions of several tables, or none at all if one of them is unknown. */
  def ofAll(tables: Seq[LogicalPlan]): Seq[Option[Expression]] = {
    val found = tables.map(of)
    if (found.forall(_.isDefined)) found else tables.map(_ => None)
  }
}
