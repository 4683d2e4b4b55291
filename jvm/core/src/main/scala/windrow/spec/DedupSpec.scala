package windrow

/** The unchecked settings of a deduplication. `check` converts them to a [[DedupSpec]] or returns all problems.
  *
  * @param within
  *   rows of a key are duplicates if their event times differ by at most this
  * @param orderBy
  *   columns that decide which of several rows with equal event time is the first
  * @param lateness
  *   None if not set
  */
final case class DedupDraft(
    within: Option[TimeSpan],
    orderBy: Seq[String] = Nil,
    lateness: Option[TimeSpan] = None,
    maxFuture: Option[TimeSpan] = None) {

  def check: Either[Seq[SpecProblem], DedupSpec] = {
    val found = within.fold(Seq(SpecProblem("WITHIN_NOT_STATED")))(span =>
      Option.when(span.micros < 0)(SpecProblem("SIZE_NEGATIVE", "value" -> span, "name" -> "within")).toSeq ++
        Option.when(span.isTooLong)(TimeSpan.tooLong("within"))) ++
      Option.when(lateness.contains(TimeSpan.Endless))(
        SpecProblem("VALUE_NOT_SUPPORTED.DEDUP", "name" -> "lateness", "value" -> "without end"))
    val span = if (found.isEmpty) within.getOrElse(TimeSpan.Zero) else TimeSpan.Zero
    val windows = WindowOperatorDraft(
      Over(span),
      lateness.map(allowed => if (allowed == TimeSpan.Endless) TimeSpan.Zero else allowed),
      accumulation = Some(Accumulating),
      maxFuture = maxFuture).check
    if (found.isEmpty) windows.map(new DedupSpec(span, orderBy, _)) else Left(found ++ windows.left.getOrElse(Nil))
  }
}

/** A checked description of a deduplication that keeps the first row; an instance always is valid (SEMANTICS D).
  *
  * @param windows
  *   windows that end at a row, by whose times a row is judged: it is late by its own event time
  */
final class DedupSpec private[windrow] (
    val within: TimeSpan,
    val orderBy: Seq[String],
    private[windrow] val windows: WindowOperatorSpec) extends Serializable {
  def lateness: TimeSpan          = windows.lateness
  def maxFuture: Option[TimeSpan] = windows.maxFuture
  override def toString: String   = s"dedup(within='$within')"
}
