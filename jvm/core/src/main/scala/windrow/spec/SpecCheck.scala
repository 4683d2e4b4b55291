package windrow

import windrow.core.time.Position

/** Everything that is wrong with a draft. */
private[windrow] object SpecCheck {

  def apply(draft: WindowOperatorDraft): Seq[SpecProblem] =
    draft.window.problems ++ lateness(draft) ++ draft.early.problems ++ draft.late.problems ++ accumulation(draft) ++
      draft.retention.problems ++ retention(draft) ++ combinations(draft) ++
      SpanCheck(if (draft.window.isLateByOffsets) draft.copy(lateness = None) else draft)

  private def lateness(draft: WindowOperatorDraft): Seq[SpecProblem] = {
    val needed = draft.window.bounds.areTimes // SEMANTICS R8
    Option.when(needed && draft.lateness.isEmpty)(
      SpecProblem("LATENESS_NOT_STATED", "say lateness('0 seconds') or longer.")).toSeq ++
      draft.lateness.filter(_.micros < 0).map(span =>
        SpecProblem("LATENESS_NEGATIVE", s"lateness is ${shown(draft, span)}; it must be '0 seconds' or longer.")) ++
      draft.maxFuture.filter(_.micros < 0).map(span =>
        SpecProblem("MAX_FUTURE_NEGATIVE", s"maxFuture is '$span'; it must be '0 seconds' or longer."))
  }

  private def accumulation(draft: WindowOperatorDraft): Seq[SpecProblem] =
    if (draft.accumulation.isDefined) Nil
    else if (fires(draft.early))
      Seq(SpecProblem(
        "ACCUMULATION_NOT_STATED",
        s"early=${draft.early} fires a window again: $Accumulate"))
    else draft.lateness.filter(_.micros > 0 && draft.window.canBeLate).map(span =>
      SpecProblem(
        "ACCUMULATION_NOT_STATED",
        s"lateness ${shown(draft, span)} fires a window again: $Accumulate")).toSeq

  private val Accumulate = "accumulate(DISCARDING, ACCUMULATING or ACCUMULATING_AND_RETRACTING)."

  private def shown(draft: WindowOperatorDraft, lateness: TimeSpan): String =
    if (lateness == TimeSpan.Endless) "without end"
    else if (draft.window.isLateByOffsets) s"${lateness.micros} offsets"
    else s"'$lateness'"

  /** Early, late, or completed by a message before it is too late for others. */
  def firesAgain(draft: WindowOperatorDraft): Boolean = fires(draft.early) || (draft.window.canBeLate &&
    (draft.lateness.exists(_.micros > 0) || draft.complete == Completion.ByFirstMessageBeyond))

  private def fires(trigger: PaneTrigger): Boolean = trigger match {
    case Never           => false
    case AnyOf(triggers) => triggers.exists(fires)
    case _               => true
  }

  /** A window that may still change keeps what it needs (SEMANTICS R8, R10). */
  private def retention(draft: WindowOperatorDraft): Seq[SpecProblem] = {
    (for {
      size     <- draft.window.extent.map(_.micros)
      kept     <- draft.retention.time
      lateness <- draft.lateness if lateness != TimeSpan.Endless && size >= 0 && lateness.micros >= 0
      needed = TimeSpan(Position.plus(size, lateness.micros))
      if kept.micros >= 0 && kept.micros < needed.micros
    } yield SpecProblem(
      "RETENTION_TOO_SHORT",
      s"retain(time='$kept') is shorter than size + lateness ('$needed').")).toSeq ++
      Option.when(draft.lateness.contains(TimeSpan.Endless) && draft.retention.windows.isEmpty &&
        draft.retention.messages.isEmpty && draft.window.canBeLate)(SpecProblem(
        "RETENTION_NOT_STATED",
        "lateness without end keeps every window: retain(windows=...) or retain(messages=...)."))
  }

  private def combinations(draft: WindowOperatorDraft): Seq[SpecProblem] = {
    def refuse(when: Boolean, code: String, text: String) = Option.when(when)(SpecProblem(code, text))
    val aligned                                           = draft.window.isAligned
    val over                                              = draft.window.isOfMessage
    val fixedEnd                                          = draft.window.hasFixedEnd
    Seq(
      refuse(
        draft.fireOnlyUpdated && draft.accumulation.contains(Discarding),
        "FIRE_ONLY_UPDATED_DISCARDING",
        "fireOnlyUpdated compares whole values, which DISCARDING does not show."),
      refuse(
        over && draft.accumulation.contains(Discarding),
        "OVER_DISCARDING",
        s"${draft.window} has one value for each message; accumulate(ACCUMULATING)."),
      refuse(
        draft.window.takesPanes && draft.accumulation.contains(Discarding),
        "INHERIT_DISCARDING",
        s"${draft.window} takes back from whole values what is retracted; accumulate(ACCUMULATING)."),
      refuse(
        draft.fillGaps && !draft.window.isInstanceOf[FixedWindows],
        "FILL_GAPS_NOT_ALIGNED",
        s"fillGaps=true is for Tumbling and Hopping, not ${draft.window}."),
      refuse(
        draft.complete == Completion.ByFirstMessageBeyond && !fixedEnd,
        "COMPLETION_WITHOUT_END",
        s"complete='first_message_beyond' needs windows with a fixed end, not ${draft.window}."),
      refuse(
        draft.window.holdsEverything && !fires(draft.early),
        "TRIGGER_NOT_STATED",
        "Global() never completes: say trigger(early=...)."),
      refuse(
        !draft.onTime && !fires(draft.early) && !fires(draft.late) && !aligned,
        "NOTHING_FIRES",
        "onTime=false without an early or a late trigger: no window would ever fire.")).flatten ++ granularity(draft)
  }

  /** Windows end, and are closed, at multiples of the granularity (SEMANTICS R49). */
  private def granularity(draft: WindowOperatorDraft): Seq[SpecProblem] = (draft.window, draft.lateness) match {
    case (Sliding(_, step), Some(lateness))
        if step.micros > 0 && lateness != TimeSpan.Endless && lateness.micros % step.micros != 0 =>
      Seq(SpecProblem("GRANULARITY_NOT_DIVISOR", s"granularity '$step' does not divide the lateness '$lateness'."))
    case _ => Nil
  }
}
