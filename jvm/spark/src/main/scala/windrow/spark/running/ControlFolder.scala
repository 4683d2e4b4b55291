package windrow.spark.running

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, Filter, LogicalPlan, Project, Union}
import org.apache.spark.sql.types.{LongType, StructType, TimestampType}
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.pack.EndMarker
import windrow.spark.version.Arithmetic
import windrow.spark.watermark.{InputProgress, PartitionTimes}
import windrow.{SpecError, SpecProblem}

/** Makes a query also read a folder with which a test controls it: each file is a micro-batch without rows, and a
  * number in it is the least value, in microseconds, of every watermark of the query.
  */
private[spark] object ControlFolder {
  val Name = "_windrow_driven"

  /** Adds the folder to a query.
    *
    * @throws windrow.SpecError
    *   if the query is not a streaming query
    */
  def apply(session: SparkSession, query: LogicalPlan, folder: String): LogicalPlan = {
    if (!query.isStreaming) throw SpecError(Name, Seq(SpecProblem("NOT_STREAMING.BOUNDED")))
    val marks = SparkInside.plan(session.readStream.text(EndMarker(folder).pattern))
    val moved = query.transformUp { case mark: EventTimeWatermark => following(mark, marks) }
    val none  = Filter(Literal(false), marks) // makes a batch without rows
    Union(Seq(moved, Project(moved.output.map(nothing), none)))
  }

  private def nothing(column: Attribute): Alias = Alias(Literal.create(null, column.dataType), column.name)()

  /** Returns the same watermark, which the numbers advance as well. Spark must not push down the filter that removes
    * the numbers below the watermark, so the filter refers to its column.
    */
  private def following(mark: EventTimeWatermark, marks: LogicalPlan): LogicalPlan = {
    val isMark = Alias(Literal(false), "is_mark")()
    val delay  = EventTimeWatermark.getDelayMs(mark.delay) * 1000
    val line   = Cast(marks.output.head, LongType, None, EvalMode.TRY)
    val time   = moment(Arithmetic.add(line, Literal(delay)), mark.eventTime)
    val input = mark.child match {
      case times: PartitionTimes => times.child
      case other                 => other
    }
    val columns = input.output
    val announced = columns.map(column =>
      if (column.semanticEquals(mark.eventTime)) Alias(time, column.name)() else nothing(column))
    val both = Union(Seq(
      Project(columns :+ isMark, input),
      Project(announced :+ Alias(Literal(true), "is_mark")(), Filter(IsNotNull(line), marks))))
    val timed = mark.child match {
      case times: PartitionTimes =>
        times.copy(partition = If(both.output.last, Literal(InputProgress.Announced), times.partition), child = both)
      case _ => both
    }
    val marked = mark.withNewChildren(Seq(timed))
    val taken  = marked.output.init
    val column = taken.find(_.exprId == mark.eventTime.exprId).get
    Project(taken, Filter(Or(Not(marked.output.last), IsNull(column)), marked))
  }

  /** Converts microseconds to a time of the column's type. The type may be a window, which then ends at that time. */
  private def moment(micros: Expression, of: Attribute): Expression = of.dataType match {
    case window: StructType => CreateNamedStruct(window.fields.toSeq.flatMap(field =>
        Seq(Literal(field.name), PreciseTimestampConversion(micros, LongType, field.dataType))))
    case _ => PreciseTimestampConversion(micros, LongType, TimestampType)
  }
}
