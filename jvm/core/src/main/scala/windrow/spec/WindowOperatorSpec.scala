package windrow

import windrow.core.time.{Axis, Bounds, Distance}

/** The unchecked settings of a windowed aggregation. `check` converts them to a [[WindowOperatorSpec]] or returns all
  * problems.
  *
  * @param lateness
  *   None if not set; [[TimeSpan.Endless]] if unlimited
  * @param early
  *   trigger for incomplete windows
  * @param onTime
  *   whether a window fires when it is complete
  * @param late
  *   trigger for complete windows that still accept messages
  * @param skipUnchanged
  *   whether to omit panes with the same value as the last one
  * @param fillGaps
  *   how long after its last window with messages a key's windows without messages still fire; [[TimeSpan.Zero]] means
  *   never, [[TimeSpan.Endless]] as long as the query runs
  * @param startOffsets
  *   the first offset of each source partition, for windows on offsets
  * @param gapValues
  *   the values of windows without messages; None for the aggregate of no messages
  */
final case class WindowOperatorDraft(
    window: WindowKind,
    lateness: Option[TimeSpan] = None,
    early: PaneTrigger = Never,
    onTime: Boolean = true,
    late: PaneTrigger = EachBatch,
    accumulation: Option[AccumulationMode] = None,
    skipUnchanged: Boolean = false,
    closeOn: CloseOn = CloseOn.Watermark,
    fillGaps: TimeSpan = TimeSpan.Zero,
    retention: Retention = Retention.NotStated,
    maxFuture: Option[TimeSpan] = None,
    startOffsets: Map[Long, Long] = Map.empty,
    gapValues: Option[GapValues] = None) {

  /** How long windows without messages fire. */
  private[windrow] def silence: TimeSpan =
    if (fillGaps == TimeSpan.Zero) gapValues.fold(TimeSpan.Zero)(_.silence) else fillGaps

  /** Whether windows without messages fire, too. */
  private[windrow] def fillsGaps: Boolean = silence != TimeSpan.Zero

  def check: Either[Seq[SpecProblem], WindowOperatorSpec] = {
    val found = SpecCheck(this)
    Either.cond(found.isEmpty, new WindowOperatorSpec(this), found)
  }

  def checked: WindowOperatorSpec = check.fold(found => throw SpecError(window.toString, found), identity)
}

/** A checked description of a windowed aggregation; an instance always is valid. */
final class WindowOperatorSpec private[windrow] (val draft: WindowOperatorDraft) extends Checked {
  def window: WindowKind                                        = draft.window
  def lateness: TimeSpan                                        = draft.lateness.getOrElse(TimeSpan.Zero)
  private[windrow] def latenessInTime: Distance[Axis.Time]      = window.latenessInTime(lateness)
  private[windrow] def latenessInOffsets: Distance[Axis.Offset] = window.latenessInOffsets(lateness)
  def early: PaneTrigger                                        = draft.early
  def onTime: Boolean                                           = draft.onTime
  def late: PaneTrigger                                         = draft.late
  def accumulation: AccumulationMode                            = draft.accumulation.getOrElse(Accumulating)
  def skipUnchanged: Boolean                                    = draft.skipUnchanged
  def closeOn: CloseOn                                          = draft.closeOn
  def fillGaps: TimeSpan                                        = draft.silence
  def gapValues: Option[GapValues]                              = draft.gapValues
  private[windrow] def fillsGaps: Boolean                       = draft.fillsGaps
  def retention: Retention                                      = draft.retention
  def maxFuture: Option[TimeSpan]                               = draft.maxFuture
  def startOffsets: Map[Long, Long]                             = draft.startOffsets

  /** Whether a message is rejected as soon as the watermark has passed the end of its windows. */
  private[windrow] def rejectsAtOnce: Boolean = window.canBeLate && latenessInTime.value == 0

  /** Whether a window can have more than one pane. */
  def firesAgain: Boolean = SpecCheck.firesAgain(draft)

  /** Whether some panes withdraw others, by the accumulation mode or because windows of this kind can be replaced. */
  def retracts: Boolean =
    accumulation == AccumulatingAndRetracting || (accumulation == Accumulating && isReplaceable)

  /** Whether messages can merge windows or retract one. */
  private def isReplaceable: Boolean = window.family match {
    case _: WindowFamily.MergingFamily => true
    case several: WindowFamily.Several => several.gaps.nonEmpty
    case _: WindowFamily.Aligned | WindowFamily.SingleWindow | _: WindowFamily.Run | _: WindowFamily.Numbered |
        _: WindowFamily.OffsetGrid => false
  }

  /** The end of a window, if its rows do not determine it. */
  private[windrow] def fixedEnd(bounds: Bounds): Option[Long] = window.family match {
    case _: WindowFamily.Aligned => Some(bounds.end)
    case WindowFamily.SingleWindow | _: WindowFamily.GapFamily | _: WindowFamily.Inherited | _: WindowFamily.Run |
        _: WindowFamily.Numbered | _: WindowFamily.OffsetFamily | _: WindowFamily.Several => None
  }

  /** The spec of each of several windows, by name; empty if there is one kind of windows. */
  private[windrow] lazy val named: Seq[(String, WindowOperatorSpec)] = window match {
    case NamedWindows(windows) => windows.map { case (name, kind) =>
        name -> new WindowOperatorSpec(draft.copy(window = kind))
      }
    case _ => Nil
  }

  /** The spec of one of several windows; this one if there is one kind of windows. */
  private[windrow] def of(name: Option[String]): WindowOperatorSpec =
    name.flatMap(one => named.collectFirst { case (`one`, spec) => spec }).getOrElse(this)

  private[windrow] def retracting: WindowOperatorSpec =
    new WindowOperatorSpec(draft.copy(accumulation = Some(AccumulatingAndRetracting)))
}
