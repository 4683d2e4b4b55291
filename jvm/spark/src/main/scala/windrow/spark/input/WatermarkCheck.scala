package windrow.spark.input

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.GetStructField
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.TransformWithState
import org.apache.spark.sql.streaming.TimeMode
import windrow.SpecProblem

/** Whether the watermark that a table came with says how far its event time has come (SEMANTICS T5, R77). */
private[spark] object WatermarkCheck {
  val Policy   = "spark.sql.streaming.multipleWatermarkPolicy"
  val Greatest = "max"

  /** In the metadata of a column whose rows say themselves how far event time has come, as a replay's do. */
  val Announced = "windrow.watermark.announced"

  /** A watermark on anything but the event time says nothing of it. Of panes and rows that another operator of windrow
    * gives, any time goes by the watermark of the query.
    *
    * @param time
    *   over the columns of the table
    */
  def ofOther(time: Expression, table: LogicalPlan): Option[SpecProblem] = {
    val marks = table.collect {
      case mark: EventTimeWatermark if !mark.eventTime.metadata.contains(Announced) => mark.eventTime.name
    }.distinct
    Option.when(marks.nonEmpty && !carries(time) && !table.exists(_.isInstanceOf[TransformWithState]))(SpecProblem(
      "WATERMARK_OF_OTHER_COLUMN",
      "time"    -> time.sql,
      "columns" -> marks.map(name => s"'$name'").mkString(" and ")))
  }

  /** The column with the watermark under whatever name, or a field of a window that has it. */
  private def carries(time: Expression): Boolean = time match {
    case column: Attribute           => column.metadata.contains(EventTimeWatermark.delayKey)
    case GetStructField(inner, _, _) => carries(inner)
    case _                           => false
  }

  /** Spark passes a watermark on only behind operators that go by event time (SEMANTICS R69). */
  def isStuck(table: LogicalPlan): Boolean = table.exists {
    case before: TransformWithState => before.timeMode != TimeMode.EventTime
    case _                          => false
  }

  /** How many watermarks a table comes with. */
  def marks(table: LogicalPlan): Int = table.collect { case mark: EventTimeWatermark => mark }.size

  /** A query of several watermarks goes by the least.
    *
    * @param marks
    *   of the query
    */
  def ofGreatest(session: SparkSession, marks: Int): Option[SpecProblem] =
    Option.when(marks > 1 && session.conf.get(Policy).equalsIgnoreCase(Greatest))(SpecProblem(
      "WATERMARK_OF_GREATEST",
      "setting" -> Policy,
      "value"   -> Greatest))
}
