package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import windrow._
import windrow.core.time.EventTime
import windrow.core.window.SliceGrid

/** Computes, as an expression, one time for all rows of a key that no window separates, so that Spark can group by it.
  * Returns None if every row must be processed separately. Times are valid or null (SEMANTICS T1), so the arithmetic
  * does not overflow and the computed times are valid, too.
  */
object SliceTime {
  private val First = Literal(1 - EventTime.Limit)

  def of(spec: WindowOperatorSpec, time: Expression): Option[Expression] = start(spec, time).map(slice =>
    If(IsNull(time), Literal.create(null, LongType), Greatest(Seq(First, slice))))

  private def start(spec: WindowOperatorSpec, time: Expression): Option[Expression] = spec.window match {
    case fixed: FixedWindows     => Option.when(fixed.size.micros < EventTime.Limit)(ofFixed(fixed, time))
    case calendar: Calendar      => Some(CalendarSlice(time, calendar))
    case Sliding(_, granularity) => Some(floor(time, granularity.micros, 0))
    case Global                  => Option.when(spec.retention.time.isEmpty)(Literal(0L)) // or each time counts
    case Session(Some(gap)) =>
      Option.when(gap.micros > 0)(floor(time, gap.micros, 0)) // rows within one gap are in one session
    case _ => None
  }

  private def ofFixed(windows: FixedWindows, time: Expression): Expression = {
    val (size, step, startTime) = (windows.size.micros, windows.step.micros, windows.startTime.micros)
    if (size == step) floor(time, step, startTime)
    else Greatest(Seq(
      floor(time, step, startTime),
      Add(floor(Subtract(time, Literal(size)), step, startTime), Literal(size))))
  }

  private def floor(of: Expression, step: Long, startTime: Long): Expression =
    Subtract(of, Pmod(Subtract(of, Literal(startTime)), Literal(step)))
}

/** Computes the start of the calendar window that contains a time. Both are longs in microseconds. */
final case class CalendarSlice(child: Expression, windows: Calendar) extends UnaryExpression {
  @transient private lazy val grid = SliceGrid(windows)

  def start(time: Long): Long = grid.sliceStart(time)

  override def dataType: DataType                                               = LongType
  override def nullIntolerant: Boolean                                          = true
  override protected def nullSafeEval(input: Any): Any                          = start(input.asInstanceOf[Long])
  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val slices = ctx.addReferenceObj("slices", this)
    defineCodeGen(ctx, ev, time => s"$slices.start($time)")
  }
}
