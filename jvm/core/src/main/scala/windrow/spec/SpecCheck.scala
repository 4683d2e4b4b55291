package windrow

import windrow.SpecProblem.when
import windrow.WindowFamily._
import windrow.core.time.Position

/** Finds all problems of a draft. */
private[windrow] object SpecCheck {

  def apply(draft: WindowOperatorDraft): Seq[SpecProblem] = draft.window.problems ++ (draft.window match {
    case NamedWindows(windows) => ofSeveral(draft, windows.map(_._2))
    case _                     => ofOne(draft)
  })

  private def ofOne(draft: WindowOperatorDraft): Seq[SpecProblem] =
    lateness(draft) ++ draft.early.problems ++ draft.late.problems ++ accumulation(draft) ++
      draft.retention.problems ++ retention(draft) ++ combinations(draft) ++
      GapValuesCheck(draft) ++ SpanCheck(if (draft.window.isLateByOffsets) draft.copy(lateness = None) else draft)

  /** Every window must accept the settings that all of them share (SEMANTICS R152). */
  private def ofSeveral(draft: WindowOperatorDraft, windows: Seq[WindowKind]): Seq[SpecProblem] = {
    val plain = draft.copy(fillGaps = TimeSpan.Zero, gapValues = None, closeOn = CloseOn.Watermark)
    val some  = if (windows.isEmpty) Seq(Tumbling(TimeSpan(60000000L))) else windows // still finds the other problems
    Seq("fillGaps" -> draft.fillsGaps, "closeOn" -> (draft.closeOn != CloseOn.Watermark)).collect {
      case (option, true) => SpecProblem("NAMED_WINDOWS.OPTION", "option" -> option)
    } ++ some.flatMap(kind => ofOne(plain.copy(window = kind))).distinct
  }

  private def lateness(draft: WindowOperatorDraft): Seq[SpecProblem] = {
    val needed = draft.window.bounds.areTimes // SEMANTICS R8
    when(needed && draft.lateness.isEmpty, "LATENESS_NOT_STATED") ++
      draft.lateness.filter(_.micros < 0).map(span =>
        SpecProblem("LATENESS_NEGATIVE", "lateness" -> shown(draft, span))) ++
      draft.maxFuture.filter(_.micros < 0).map(span =>
        SpecProblem("MAX_FUTURE_NEGATIVE", "maxFuture" -> span))
  }

  private def accumulation(draft: WindowOperatorDraft): Seq[SpecProblem] =
    if (draft.accumulation.isDefined) Nil
    else if (fires(draft.early))
      Seq(SpecProblem(
        "ACCUMULATION_NOT_STATED.EARLY",
        "early" -> draft.early))
    else draft.lateness.filter(_.micros > 0 && draft.window.canBeLate).map(span =>
      SpecProblem(
        "ACCUMULATION_NOT_STATED.LATENESS",
        "lateness" -> shown(draft, span))).toSeq

  private def shown(draft: WindowOperatorDraft, lateness: TimeSpan): String =
    if (lateness == TimeSpan.Endless) "without end"
    else if (draft.window.isLateByOffsets) s"${lateness.micros} offsets"
    else s"'$lateness'"

  /** Whether a window can fire more than once: early, late, or when a message completes it before it is closed. */
  def firesAgain(draft: WindowOperatorDraft): Boolean = fires(draft.early) || (draft.window.canBeLate &&
    (draft.lateness.exists(_.micros > 0) || draft.closeOn == CloseOn.NextRow))

  private def fires(trigger: PaneTrigger): Boolean = trigger match {
    case Never           => false
    case AnyOf(triggers) => triggers.exists(fires)
    case _               => true
  }

  /** The retention must keep everything that a window needs as long as it can change (SEMANTICS R8, R10). */
  private def retention(draft: WindowOperatorDraft): Seq[SpecProblem] = {
    (for {
      size     <- draft.window.extent.map(_.micros)
      kept     <- draft.retention.time
      lateness <- draft.lateness if lateness != TimeSpan.Endless && size >= 0 && lateness.micros >= 0
      needed = TimeSpan(Position.plus(size, lateness.micros))
      if kept.micros >= 0 && kept.micros < needed.micros
    } yield SpecProblem(
      "RETENTION_TOO_SHORT.WINDOW",
      "time"   -> kept,
      "needed" -> needed)).toSeq ++
      when(
        draft.lateness.contains(TimeSpan.Endless) && draft.retention.windows.isEmpty &&
          draft.retention.messages.isEmpty && draft.window.canBeLate,
        "RETENTION_NOT_STATED.WINDOWS")
  }

  private def combinations(draft: WindowOperatorDraft): Seq[SpecProblem] =
    Seq(
      when(draft.skipUnchanged && draft.accumulation.contains(Discarding), "SKIPUNCHANGED_DISCARDING"),
      when(
        draft.window.isOfMessage && draft.accumulation.contains(Discarding),
        "OVER_DISCARDING",
        "window" -> draft.window),
      when(
        draft.window.takesPanes && draft.accumulation.contains(Discarding),
        "INHERIT_DISCARDING",
        "window" -> draft.window),
      when(
        draft.window.family.isInstanceOf[CutSessions] && draft.accumulation.contains(Discarding),
        "SESSION_CUT.DISCARDING",
        "window"                                                                          -> draft.window),
      when(draft.fillsGaps && alignedOf(draft).isEmpty, "FILL_GAPS_NOT_ALIGNED", "window" -> draft.window),
      when(
        draft.closeOn == CloseOn.NextRow && !draft.window.hasFixedEnd,
        "CLOSEON_WITHOUT_END",
        "window" -> draft.window),
      when(draft.window.holdsEverything && !fires(draft.early), "TRIGGER_NOT_STATED.GLOBAL"),
      when(
        !draft.onTime && !fires(draft.early) && !fires(draft.late) && !firesAtEnd(draft),
        "NOTHING_FIRES")).flatten ++ silence(draft) ++ granularity(draft)

  /** A limit of `fillGaps` below the distance between windows never has an effect. */
  private def silence(draft: WindowOperatorDraft): Seq[SpecProblem] =
    alignedOf(draft).filter(_ => draft.fillsGaps).flatMap(_.longestStep)
      .filter(step => step.micros > 0 && draft.silence.micros < step.micros)
      .map(step => SpecProblem("FILL_GAPS_TOO_SHORT", "fillGaps" -> draft.silence, "needed" -> step)).toSeq

  private def alignedOf(draft: WindowOperatorDraft): Option[TimeGrid] = draft.window.family match {
    case Aligned(windows) => Some(windows)
    case SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Numbered | _: OffsetFamily | _: Several => None
  }

  /** Whether its windows emit a pane when their lateness ends, whatever the triggers (SEMANTICS R80). */
  private def firesAtEnd(draft: WindowOperatorDraft): Boolean = draft.window.family match {
    case _: Aligned | _: GapFamily |
        _: Several => !draft.lateness.contains(TimeSpan.Endless)
    case SingleWindow | _: Inherited | _: Run | _: Numbered | _: OffsetFamily => false
  }

  /** Windows end and close at multiples of the granularity (SEMANTICS R49). */
  private def granularity(draft: WindowOperatorDraft): Seq[SpecProblem] = draft.window.family match {
    case DistinctSets(_, step) =>
      draft.lateness.toSeq.filter(lateness =>
        step.micros > 0 && lateness != TimeSpan.Endless && lateness.micros % step.micros != 0)
        .map(lateness =>
          SpecProblem("GRANULARITY_NOT_DIVISOR.LATENESS", "granularity" -> step, "lateness" -> lateness))
    case _: Aligned | SingleWindow | _: GapFamily | _: Inherited | _: MessageWindows | _: Numbered | _: OffsetFamily |
        _: Several =>
      Nil
  }
}
