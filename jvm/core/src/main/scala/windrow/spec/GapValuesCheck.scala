package windrow

import windrow.SpecProblem.when

/** Finds the problems of the values of windows without rows (SEMANTICS R120 to R122). Windows that `fillGaps` does not
  * support have a problem of their own.
  */
private[windrow] object GapValuesCheck {

  def apply(draft: WindowOperatorDraft): Seq[SpecProblem] = draft.gapValues.toSeq.flatMap { values =>
    val method = if (values.isLinear) GapMethod.Linear else GapMethod.Previous
    Seq(
      when(values.methods.isEmpty, "GAP_VALUES.NOT_UNDERSTOOD", "name" -> "fillGaps", "value" -> "empty"),
      when(values.carries && values.atMost.isEmpty, "GAP_VALUES.AT_MOST_MISSING", "method" -> method),
      when(
        values.atMost.exists(span => draft.fillGaps != TimeSpan.Zero && span.micros > draft.fillGaps.micros),
        "GAP_VALUES.AT_MOST_LONGER",
        "atMost"   -> values.atMost.getOrElse(TimeSpan.Zero),
        "fillGaps" -> draft.fillGaps),
      when(draft.accumulation.contains(Discarding), "GAP_VALUES.DISCARDING"),
      when(draft.closeOn == CloseOn.NextRow, "GAP_VALUES.NEXT_ROW"),
      when(!draft.onTime, "GAP_VALUES.NOT_ON_TIME"),
      when(
        values.isLinear && draft.lateness.exists(_.micros > 0),
        "GAP_VALUES.LINEAR_LATENESS",
        "lateness" -> draft.lateness.filter(_ != TimeSpan.Endless).fold("None")(span => s"'$span'"))).flatten
  }
}
