package windrow

import windrow.core.time.Axis
import windrow.core.time.Distance

/** What a user has said so far; `check` turns it into a [[WindowOperatorSpec]] or names all that is wrong.
  *
  * @param lateness
  *   None: not stated; [[TimeSpan.Endless]]: without end
  * @param early
  *   while a window is incomplete
  * @param onTime
  *   whether a window fires when it completes
  * @param late
  *   while a complete window still takes messages
  * @param skipUnchanged
  *   no pane whose value is that of the last one
  * @param fillGaps
  *   how long after its last window with messages a key's windows without any still fire; [[TimeSpan.Zero]]: they never
  *   do, [[TimeSpan.Endless]]: for as long as the query runs
  * @param startOffsets
  *   the first offset of each source partition, for windows on offsets
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
    startOffsets: Map[Long, Long] = Map.empty) {

  /** Also windows without messages fire. */
  private[windrow] def fillsGaps: Boolean = fillGaps != TimeSpan.Zero

  def check: Either[Seq[SpecProblem], WindowOperatorSpec] = {
    val found = SpecCheck(this)
    Either.cond(found.isEmpty, new WindowOperatorSpec(this), found)
  }

  def checked: WindowOperatorSpec = check.fold(found => throw SpecError(window.toString, found), identity)
}

/** A checked description of a windowed aggregation (the sources' name). It exists only without problems. */
final class WindowOperatorSpec private[windrow] (val draft: WindowOperatorDraft) extends Serializable {
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
  def fillGaps: TimeSpan                                        = draft.fillGaps
  private[windrow] def fillsGaps: Boolean                       = draft.fillsGaps
  def retention: Retention                                      = draft.retention
  def maxFuture: Option[TimeSpan]                               = draft.maxFuture
  def startOffsets: Map[Long, Long]                             = draft.startOffsets

  /** A message is rejected as soon as the watermark has passed the end of its windows. */
  private[windrow] def rejectsAtOnce: Boolean = window.canBeLate && latenessInTime.value == 0

  /** A window can have more than one pane. */
  def firesAgain: Boolean = SpecCheck.firesAgain(draft)

  /** There are panes that withdraw others: windows of these kinds can be replaced. */
  def retracts: Boolean =
    accumulation == AccumulatingAndRetracting || (accumulation == Accumulating && window.isReplaceable)

  private[windrow] def retracting: WindowOperatorSpec =
    new WindowOperatorSpec(draft.copy(accumulation = Some(AccumulatingAndRetracting)))

  override def equals(other: Any): Boolean = other match {
    case that: WindowOperatorSpec => draft == that.draft
    case _                        => false
  }
  override def hashCode: Int    = draft.hashCode
  override def toString: String = draft.toString
}
