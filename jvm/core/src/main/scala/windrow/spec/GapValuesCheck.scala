package windrow

/** Finds the problems of the values of windows without rows (SEMANTICS R120 to R122). Windows that `fillGaps` does not
  * support have a problem of their own.
  */
private[windrow] object GapValuesCheck {

  def apply(draft: WindowOperatorDraft): Seq[SpecProblem] = draft.gapValues.toSeq.flatMap { values =>
    def refuse(when: Boolean, condition: String, parameters: (String, Any)*) =
      Option.when(when)(SpecProblem(s"GAP_VALUES.$condition", parameters: _*))
    val method = if (values.isLinear) GapMethod.Linear else GapMethod.Previous
    Seq(
      refuse(values.methods.isEmpty, "NOT_UNDERSTOOD", "name"                     -> "fillGaps", "value" -> "empty"),
      refuse(values.carries && values.atMost.isEmpty, "AT_MOST_MISSING", "method" -> method),
      refuse(
        values.atMost.exists(span => draft.fillGaps != TimeSpan.Zero && span.micros > draft.fillGaps.micros),
        "AT_MOST_LONGER",
        "atMost"   -> values.atMost.getOrElse(TimeSpan.Zero),
        "fillGaps" -> draft.fillGaps),
      refuse(draft.accumulation.contains(Discarding), "DISCARDING"),
      refuse(draft.closeOn == CloseOn.NextRow, "NEXT_ROW"),
      refuse(!draft.onTime, "NOT_ON_TIME"),
      refuse(
        values.isLinear && draft.lateness.exists(_.micros > 0),
        "LINEAR_LATENESS",
        "lateness" -> draft.lateness.filter(_ != TimeSpan.Endless).fold("None")(span => s"'$span'"))).flatten
  }
}
