package windrow

/** Finds the problems of the values of windows without rows (SEMANTICS R120 to R122). Windows that `fillGaps` does not
  * support have a problem of their own.
  */
private[windrow] object GapValuesCheck {

  def apply(draft: WindowOperatorDraft): Seq[SpecProblem] = draft.gapValues.toSeq.flatMap { values =>
    def refuse(when: Boolean, condition: String, parameters: (String, Any)*) =
      Option.when(when)(SpecProblem(condition, parameters: _*))
    val method = if (values.isLinear) GapMethod.Linear else GapMethod.Previous
    Seq(
      refuse(values.methods.isEmpty, "GAP_VALUES.NOT_UNDERSTOOD", "name" -> "fillGaps", "value" -> "empty"),
      refuse(values.carries && values.atMost.isEmpty, "GAP_VALUES.AT_MOST_MISSING", "method" -> method),
      refuse(
        values.atMost.exists(span => draft.fillGaps != TimeSpan.Zero && span.micros > draft.fillGaps.micros),
        "GAP_VALUES.AT_MOST_LONGER",
        "atMost"   -> values.atMost.getOrElse(TimeSpan.Zero),
        "fillGaps" -> draft.fillGaps),
      refuse(draft.accumulation.contains(Discarding), "GAP_VALUES.DISCARDING"),
      refuse(draft.closeOn == CloseOn.NextRow, "GAP_VALUES.NEXT_ROW"),
      refuse(!draft.onTime, "GAP_VALUES.NOT_ON_TIME"),
      refuse(
        values.isLinear && draft.lateness.exists(_.micros > 0),
        "GAP_VALUES.LINEAR_LATENESS",
        "lateness" -> draft.lateness.filter(_ != TimeSpan.Endless).fold("None")(span => s"'$span'"))).flatten
  }
}
