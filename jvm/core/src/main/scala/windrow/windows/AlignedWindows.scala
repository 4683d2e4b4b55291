package windrow

import windrow.core.grid.{FixedGrid, SliceGrid}
import windrow.core.time.Axis

/** Windows that depend on time alone and are the same for every key. They are half-open and aligned. */
trait AlignedWindows extends WindowKind with TimeGrid {
  @transient private[windrow] final lazy val family: WindowFamily = WindowFamily.Aligned(this)
}

/** Aligned windows of a fixed size. */
trait FixedWindows extends AlignedWindows {
  def size: TimeSpan
  def step: TimeSpan
  def startTime: TimeSpan

  @transient private[windrow] final lazy val grid: SliceGrid[Axis.Time] =
    new FixedGrid(size.micros, step.micros, startTime.micros)

  private[windrow] final def longestStep: Option[TimeSpan] = Some(step)

  private[windrow] final override def extent: Option[TimeSpan] = Some(size)

  final def problems: Seq[SpecProblem] =
    Seq("size" -> size, "step" -> step).distinctBy(_._2).collect {
      case (name, span) if span.micros <= 0 =>
        SpecProblem("NOT_POSITIVE.DURATION", "name" -> name, "value" -> span)
    }

  protected def aligned: String =
    s"aligned to ${if (startTime == TimeSpan.Zero) "" else s"$startTime after "}1970-01-01 00:00:00 UTC"

  protected def shownStartTime: String = if (startTime == TimeSpan.Zero) "" else s", startTime='$startTime'"
}

private object AlignedWindows {
  def sideBySide(size: String, aligned: String): String =
    s"Windows of $size that do not overlap, $aligned; the start is inclusive, the end exclusive. Every row is in one."
}
