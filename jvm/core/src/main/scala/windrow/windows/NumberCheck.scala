package windrow

/** Checks the numbers and durations of a spec. */
private[windrow] object NumberCheck {
  def positive(name: String, span: TimeSpan): Seq[SpecProblem] =
    SpecProblem.when(span.micros <= 0, "NOT_POSITIVE.DURATION", "name" -> name, "value" -> span)

  def notNegative(name: String, span: TimeSpan): Seq[SpecProblem] =
    SpecProblem.when(span.micros < 0, "SIZE_NEGATIVE", "value" -> span, "name" -> name)

  /** Reports a single problem if the step equals the count. */
  def atLeastOne(name: String, count: Long, other: String, step: Long): Seq[SpecProblem] =
    atLeastOne(name, count) ++ Option.when(step != count)(atLeastOne(other, step)).toSeq.flatten

  def atLeastOne(name: String, count: Long): Seq[SpecProblem] =
    SpecProblem.when(count < 1, "NOT_POSITIVE.COUNT", "name" -> name, "value" -> count)
}
