package windrow

/** Checks the numbers and durations of a spec. */
private[windrow] object NumberCheck {
  def positive(name: String, span: TimeSpan): Seq[SpecProblem] =
    Option.when(span.micros <= 0)(SpecProblem("NOT_POSITIVE.DURATION", "name" -> name, "value" -> span)).toSeq

  /** Reports a single problem if the step equals the count. */
  def atLeastOne(name: String, count: Long, other: String, step: Long): Seq[SpecProblem] =
    atLeastOne(name, count) ++ Option.when(step != count)(atLeastOne(other, step)).toSeq.flatten

  def atLeastOne(name: String, count: Long): Seq[SpecProblem] =
    Option.when(count < 1)(SpecProblem("NOT_POSITIVE.COUNT", "name" -> name, "value" -> count)).toSeq
}
