package windrow

import windrow.core.time.{Axis, Distance}

/** The unchecked settings of a full-state operator. `check` converts them to a [[FullStateSpec]] or returns all
  * problems. The operator always discards: each pane contains the messages since the last one (SEMANTICS R17).
  *
  * @param early
  *   trigger for incomplete windows. [[EachMessage]] and [[EachBatch]] are equivalent here: one pane for each window
  *   and step (SEMANTICS R15).
  * @param retention
  *   required
  * @param startOffsets
  *   the first offset of each source partition, for windows on offsets
  */
final case class FullStateDraft(
    window: WindowKind,
    lateness: Option[TimeSpan] = None,
    early: PaneTrigger = EachMessage,
    onTime: Boolean = true,
    late: PaneTrigger = EachMessage,
    retention: Retention = Retention.NotStated,
    maxFuture: Option[TimeSpan] = None,
    startOffsets: Map[Long, Long] = Map.empty) {

  def check: Either[Seq[SpecProblem], FullStateSpec] = {
    val found = problems
    Either.cond(found.isEmpty, new FullStateSpec(this), found)
  }

  def checked: FullStateSpec = check.fold(found => throw SpecError(window.toString, found), identity)

  /** The settings that it shares with a windowed aggregation. */
  private[windrow] def windows: WindowOperatorDraft = WindowOperatorDraft(
    window,
    lateness,
    early,
    onTime,
    late,
    Some(Accumulating), // ignored
    retention = retention,
    maxFuture = maxFuture)

  private def problems: Seq[SpecProblem] = SpecCheck(windows) ++ family.left.toSeq ++ unstated ++ tooShort

  private[windrow] def family: Either[SpecProblem, WindowFamily.FullStateFamily] = window.family match {
    case family: WindowFamily.FullStateFamily => Right(family)
    case _: WindowFamily.Inherited            => Left(SpecProblem("INHERIT_WITHOUT_PANES", "window" -> window))
    case _: WindowFamily.CutSessions          => Left(SpecProblem("SESSION_CUT.ROWS", "window" -> window))
    case _: WindowFamily.Several              => Left(SpecProblem("NAMED_WINDOWS.ROWS"))
  }

  private def unstated: Seq[SpecProblem] =
    SpecProblem.when(retention.time.isEmpty && retention.messages.isEmpty, "RETENTION_NOT_STATED.FULL_STATE")

  /** Checks sessions; [[SpecCheck]] checks windows of a fixed size. */
  private def tooShort: Seq[SpecProblem] = (for {
    gap  <- Some(window.family).collect { case WindowFamily.Sessions(Some(gap)) => gap.micros }
    kept <- retention.time
    late <- lateness if late != TimeSpan.Endless && kept.micros < gap + late.micros
  } yield SpecProblem(
    "RETENTION_TOO_SHORT.SESSION",
    "time"   -> kept,
    "needed" -> TimeSpan(gap + late.micros))).toSeq
}

object FullStateDraft {

  /** Checks the description of windows for full state, which does not support all of its settings.
    *
    * @param early
    *   trigger of the description, or the default
    * @param late
    *   trigger of the description, or the default
    */
  private[windrow] def check(
      windows: WindowOperatorDraft,
      early: PaneTrigger,
      late: PaneTrigger): Either[Seq[SpecProblem], FullStateSpec] = {
    val found = Seq(
      "skip_unchanged" -> Option.when(windows.skipUnchanged)("true"),
      "fill_gaps"      -> Option.when(windows.fillGaps != TimeSpan.Zero)(FillGaps.shown(windows.fillGaps)),
      "gap_values"     -> windows.gapValues,
      "close_on"       -> Option(windows.closeOn).filter(_ != CloseOn.Watermark).map(as => s"\"$as\""),
      "accumulation" -> windows.accumulation.filter(_ != Discarding).map(mode =>
        s"\"${JsonReader.word(mode)}\"")).collect {
      case (field, Some(value)) =>
        SpecProblem("VALUE_NOT_SUPPORTED.FULL_STATE", "name" -> field, "value" -> value)
    }
    val read = FullStateDraft(
      windows.window,
      windows.lateness,
      early,
      windows.onTime,
      late,
      windows.retention,
      windows.maxFuture,
      windows.startOffsets).check
    if (found.isEmpty) read else Left(read.left.getOrElse(Nil) ++ found)
  }
}

/** A checked description of a full-state operator; an instance always is valid. */
final class FullStateSpec private[windrow] (val draft: FullStateDraft) extends Checked {
  def window: WindowKind = draft.window

  /** The family of its windows, which the check found to be supported. */
  private[windrow] def family: WindowFamily.FullStateFamily =
    draft.family.fold(problem => throw SpecError(window.toString, Seq(problem)), identity)

  def lateness: TimeSpan                                        = draft.lateness.getOrElse(TimeSpan.Zero)
  private[windrow] def latenessInTime: Distance[Axis.Time]      = window.latenessInTime(lateness)
  private[windrow] def latenessInOffsets: Distance[Axis.Offset] = window.latenessInOffsets(lateness)
  def early: PaneTrigger                                        = draft.early
  def onTime: Boolean                                           = draft.onTime
  def late: PaneTrigger                                         = draft.late
  def retention: Retention                                      = draft.retention
  def maxFuture: Option[TimeSpan]                               = draft.maxFuture
  def startOffsets: Map[Long, Long]                             = draft.startOffsets

  /** The settings that it shares with a windowed aggregation. */
  private[windrow] def windows: WindowOperatorSpec = new WindowOperatorSpec(draft.windows)
}
