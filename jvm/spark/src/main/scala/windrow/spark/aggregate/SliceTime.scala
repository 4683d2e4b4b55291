package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, LongType}
import windrow.WindowFamily._
import windrow.core.grid.FixedGrid
import windrow.core.time.EventTime
import windrow.spark.version.Arithmetic
import windrow.{TimeGrid, WindowOperatorSpec}

/** Computes, as an expression, one time for all rows of a key that no window separates, so that Spark can group by it.
  * Returns None if every row must be processed separately. Times are valid or null (SEMANTICS T1), so the arithmetic
  * does not overflow and the computed times are valid, too.
  */
object SliceTime {
  private val First = Literal(1 - EventTime.Limit)

  def of(spec: WindowOperatorSpec, time: Expression): Option[Expression] = start(spec, time).map(slice =>
    If(IsNull(time), Literal.create(null, LongType), Greatest(Seq(First, slice))))

  /** Returns the start of the slice of a time. Rows within one gap are in one session. */
  private def start(spec: WindowOperatorSpec, time: Expression): Option[Expression] = spec.window.family match {
    case _: Several                   => several(spec.named.map { case (_, own) => start(own, time) })
    case Aligned(windows)             => aligned(windows, time)
    case DistinctSets(_, granularity) => Some(floor(time, granularity.micros, 0))
    case SingleWindow                 => Option.when(spec.retention.time.isEmpty)(Literal(0L)) // or each time counts
    case Sessions(gap)                => gap.map(_.micros).filter(_ > 0).map(floor(time, _, 0))
    case _: CutSessions | _: Inherited | _: MessageWindows | _: Numbered | _: OffsetFamily => None
  }

  /** The start of the part that the slices of all windows share. */
  private def several(starts: Seq[Option[Expression]]): Option[Expression] = starts.flatten.distinct match {
    case _ if starts.contains(None) => None
    case Seq(one)                   => Some(one)
    case all                        => Some(Greatest(all))
  }

  private def aligned(windows: TimeGrid, time: Expression): Option[Expression] = windows.grid match {
    case fixed: FixedGrid[_] => Option.when(fixed.size < EventTime.Limit)(ofFixed(fixed, time))
    case _                   => Some(GridSlice(time, windows))
  }

  private def ofFixed(windows: FixedGrid[_], time: Expression): Expression = {
    import windows._
    if (size == step) floor(time, step, startTime)
    else Greatest(Seq(
      floor(time, step, startTime),
      Arithmetic.add(floor(Arithmetic.subtract(time, Literal(size)), step, startTime), Literal(size))))
  }

  private def floor(of: Expression, step: Long, startTime: Long): Expression =
    Arithmetic.subtract(of, Arithmetic.pmod(Arithmetic.subtract(of, Literal(startTime)), Literal(step)))
}

/** Computes the start of the slice of aligned windows that contains a time. Both are longs in microseconds. */
final case class GridSlice(child: Expression, windows: TimeGrid) extends UnaryExpression {
  @transient private lazy val grid = windows.grid

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
