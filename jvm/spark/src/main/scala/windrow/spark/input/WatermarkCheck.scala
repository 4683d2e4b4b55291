package windrow.spark.input

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, TransformWithState}
import org.apache.spark.sql.streaming.TimeMode
import windrow.SpecProblem

/** Checks whether the watermark of a table describes the progress of its event time (SEMANTICS T5, R77). */
private[spark] object WatermarkCheck {
  val Policy   = "spark.sql.streaming.multipleWatermarkPolicy"
  val Greatest = "max"

  /** The metadata key of a column whose rows state the watermark themselves, as in a replay. */
  val Announced = "windrow.watermark.announced"

  /** Returns a problem if the watermark is on another column than the event time. In the output of another Windrow
    * operator, every time follows the watermark of the query.
    *
    * @param time
    *   over the columns of the table
    */
  def ofOther(time: Expression, table: LogicalPlan): Option[SpecProblem] =
    other(time, table, carries(time) || table.exists(_.isInstanceOf[TransformWithState]))

  /** Returns a problem if Spark judges the rows of a table by another column than the event time, also in the output of
    * an operator that Windrow runs instead of Spark.
    */
  def ofReplaced(time: Expression, table: LogicalPlan): Option[SpecProblem] = other(
    time,
    table,
    time match {
      case GetStructField(_, field, _) => field == 1 && carries(time) // the event time of a window is its end
      case _                           => carries(time)
    })

  private def other(time: Expression, table: LogicalPlan, isOfWatermark: Boolean): Option[SpecProblem] = {
    val marks = table.collect {
      case mark: EventTimeWatermark if !mark.eventTime.metadata.contains(Announced) => mark.eventTime.name
    }.distinct
    Option.when(marks.nonEmpty && !isOfWatermark)(SpecProblem(
      "WATERMARK_OF_OTHER_COLUMN",
      "time"    -> time.sql,
      "columns" -> marks.map(name => s"'$name'").mkString(" and ")))
  }

  /** Whether an expression is the column with the watermark, under any name, or a field of a window that has it. */
  private def carries(time: Expression): Boolean = time match {
    case column: Attribute           => column.metadata.contains(EventTimeWatermark.delayKey)
    case GetStructField(inner, _, _) => carries(inner)
    case _                           => false
  }

  /** Whether the watermark stops before this table. Spark passes a watermark on only after operators that use event
    * time (SEMANTICS R69).
    */
  def isStuck(table: LogicalPlan): Boolean = table.exists {
    case before: TransformWithState => before.timeMode != TimeMode.EventTime
    case _                          => false
  }

  /** The number of watermarks in a table. */
  def marks(table: LogicalPlan): Int = table.collect { case mark: EventTimeWatermark => mark }.size

  /** Returns a problem if a query with several watermarks is set to use the greatest one. It needs the least one.
    *
    * @param marks
    *   the number of watermarks of the query
    */
  def ofGreatest(session: SparkSession, marks: Int): Option[SpecProblem] =
    Option.when(marks > 1 && session.conf.get(Policy).equalsIgnoreCase(Greatest))(SpecProblem(
      "WATERMARK_OF_GREATEST",
      "setting" -> Policy,
      "value"   -> Greatest))
}
