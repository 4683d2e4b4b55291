package windrow.spark.pack

import org.apache.spark.sql.catalyst.expressions._
import windrow.FixedWindows
import windrow.core.operator.Watermark
import windrow.core.window.SliceGrid

/** Which messages the shard might refuse: they must carry their original row. Whether it does is decided there.
  *
  * @param watermark
  *   not below the one that the shard judges by; None: not known, so any message may be too late
  */
object MayBeRefused {

  def apply(pack: Pack, watermark: Option[Watermark]): Expression = {
    val tooLate = watermark match {
      case None                          => Literal(true)
      case Some(mark) if !mark.isDefined => Literal(false)
      case Some(mark)                    => isBelow(pack, mark)
    }
    (IsNull(pack.time) +: pack.tooFar :+ tooLate).reduce(Or)
  }

  private def isBelow(pack: Pack, watermark: Watermark): Expression = {
    val lateness = pack.recipe.spec.lateness.micros
    pack.recipe.spec.window match {
      case windows: FixedWindows =>
        val grid = SliceGrid(windows)
        LessThan(pack.time, Given(grid.firstStart(watermark.micros - lateness)))
      case _ => // sessions
        LessThanOrEqual(Add(pack.time, pack.gap.head), Given(watermark.micros - lateness))
    }
  }

  /** The slice of a message as an expression, so that Spark can group by it: `SliceGrid.sliceStart`. */
  def slice(windows: FixedWindows, time: Expression): Expression = {
    val (size, step, offset)  = (windows.size.micros, windows.step.micros, windows.offset.micros)
    def floor(of: Expression) = Subtract(of, Pmod(Subtract(of, Literal(offset)), Literal(step)))
    if (size == step) floor(time)
    else Greatest(Seq(floor(time), Add(floor(Subtract(time, Literal(size))), Literal(size))))
  }
}
