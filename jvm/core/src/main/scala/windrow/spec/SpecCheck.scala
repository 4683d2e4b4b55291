package windrow

/** Everything that is wrong with a draft. */
private[windrow] object SpecCheck {

  def apply(draft: WindowOperatorDraft): Seq[SpecProblem] =
    draft.window.problems ++ lateness(draft) ++ draft.early.problems ++ draft.late.problems ++ accumulation(draft) ++
      draft.retention.problems ++ retention(draft) ++ combinations(draft)

  /** For some windows nothing is late (SEMANTICS R21). */
  private def hasLateness(window: WindowKind): Boolean = window match {
    case _: Count | _: TupleSession | Global => false
    case _                                   => true
  }

  private def lateness(draft: WindowOperatorDraft): Seq[SpecProblem] =
    Option.when(hasLateness(draft.window) && draft.lateness.isEmpty)(
      SpecProblem("LATENESS_NOT_STATED", "say lateness('0 seconds') or longer.")).toSeq ++
      draft.lateness.filter(_.micros < 0).map(span =>
        SpecProblem("LATENESS_NEGATIVE", s"lateness is '$span'; it must be '0 seconds' or longer.")) ++
      draft.maxFuture.filter(_.micros < 0).map(span =>
        SpecProblem("MAX_FUTURE_NEGATIVE", s"maxFuture is '$span'; it must be '0 seconds' or longer."))

  private def accumulation(draft: WindowOperatorDraft): Seq[SpecProblem] =
    if (draft.accumulation.isDefined) Nil
    else if (draft.early != Never)
      Seq(SpecProblem(
        "ACCUMULATION_NOT_STATED",
        s"early=${draft.early} fires a window again: accumulate(ACCUMULATING), DISCARDING or ACCUMULATING_AND_RETRACTING."))
    else draft.lateness.filter(_.micros > 0).map(span =>
      SpecProblem(
        "ACCUMULATION_NOT_STATED",
        s"lateness '$span' fires a window again: accumulate(ACCUMULATING), DISCARDING or ACCUMULATING_AND_RETRACTING.")).toSeq

  /** A window that may still change keeps what it needs (SEMANTICS R8, R10). */
  private def retention(draft: WindowOperatorDraft): Seq[SpecProblem] = {
    val size = draft.window match {
      case fixed: FixedWindows => Some(fixed.size.micros)
      case Sliding(size, _)    => Some(size.micros)
      case _                   => None
    }
    (for {
      size     <- size
      kept     <- draft.retention.time
      lateness <- draft.lateness if lateness != TimeSpan.Endless && kept.micros < size + lateness.micros
    } yield SpecProblem(
      "RETENTION_TOO_SHORT",
      s"retain(time='$kept') is shorter than size + lateness ('${TimeSpan(size + lateness.micros)}').")).toSeq ++
      Option.when(draft.lateness.contains(TimeSpan.Endless) && draft.retention.windows.isEmpty &&
        draft.retention.messages.isEmpty && hasLateness(draft.window))(SpecProblem(
        "RETENTION_NOT_STATED",
        "lateness without end keeps every window: retain(windows=...) or retain(messages=...)."))
  }

  private def combinations(draft: WindowOperatorDraft): Seq[SpecProblem] = {
    def refuse(when: Boolean, code: String, text: String) = Option.when(when)(SpecProblem(code, text))
    val aligned                                           = draft.window.isInstanceOf[AlignedWindows]
    val over                                              = draft.window.isInstanceOf[Over]
    val fixedEnd = draft.window match {
      case _: Session | _: TupleSession | Global => false
      case _                                     => true
    }
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
        draft.fillGaps && !draft.window.isInstanceOf[FixedWindows],
        "FILL_GAPS_NOT_ALIGNED",
        s"fillGaps=true is for Tumbling and Hopping, not ${draft.window}."),
      refuse(
        draft.complete == Completion.ByFirstMessageBeyond && !fixedEnd,
        "COMPLETION_WITHOUT_END",
        s"complete='first_message_beyond' needs windows with a fixed end, not ${draft.window}."),
      refuse(
        draft.window == Global && draft.early == Never,
        "TRIGGER_NOT_STATED",
        "Global() never completes: say trigger(early=...)."),
      refuse(
        !draft.onTime && draft.early == Never && draft.late == Never && !aligned,
        "NOTHING_FIRES",
        "onTime=false without an early or a late trigger: no window would ever fire.")).flatten
  }
}
