package windrow

/** The unchecked settings of a deduplication. `check` converts them to a [[DedupSpec]] or returns all problems.
  *
  * @param within
  *   rows of a key are duplicates if their event times differ by at most this
  * @param orderBy
  *   columns that decide which row is the first or the last
  * @param lateness
  *   None if not set
  * @param keep
  *   which row is kept
  * @param accumulation
  *   None if a row is emitted once; otherwise how a row that replaces another one is emitted
  */
final case class DedupDraft(
    within: Option[TimeSpan],
    orderBy: Seq[String] = Nil,
    lateness: Option[TimeSpan] = None,
    maxFuture: Option[TimeSpan] = None,
    keep: Keep = Keep.First,
    accumulation: Option[AccumulationMode] = None) {

  def check: Either[Seq[SpecProblem], DedupSpec] = {
    val found = within.fold(Seq(SpecProblem("WITHIN_NOT_STATED.DEDUP")))(span =>
      NumberCheck.notNegative("within", span) ++
        Option.when(span.isTooLong)(TimeSpan.tooLong("within"))) ++
      Option.when(lateness.contains(TimeSpan.Endless))(
        SpecProblem("VALUE_NOT_SUPPORTED.DEDUP", "name" -> "lateness", "value" -> "without end")) ++
      accumulation.flatMap(notSupported)
    val span = if (found.isEmpty) within.getOrElse(TimeSpan.Zero) else TimeSpan.Zero
    val windows = WindowOperatorDraft(
      Over(span),
      lateness.map(allowed => if (allowed == TimeSpan.Endless) TimeSpan.Zero else allowed),
      accumulation = Some(Accumulating),
      maxFuture = maxFuture).check
    if (found.isEmpty) windows.map(new DedupSpec(span, orderBy, _, keep, accumulation.isDefined))
    else Left(found ++ windows.left.getOrElse(Nil))
  }

  private def notSupported(mode: AccumulationMode): Option[SpecProblem] =
    if (keep == Keep.First)
      Some(SpecProblem("VALUE_NOT_SUPPORTED.DEDUP_FIRST", "name" -> "accumulationMode", "value" -> mode))
    else Option.when(mode != AccumulatingAndRetracting)(
      SpecProblem("VALUE_NOT_SUPPORTED.DEDUP", "name" -> "accumulationMode", "value" -> mode))
}

/** A checked description of a deduplication; an instance always is valid (SEMANTICS D).
  *
  * @param windows
  *   windows that end at a row, by whose times a row is judged: it is late by its own event time
  * @param retracts
  *   whether the last row is emitted at once and retracted when another row replaces it
  */
final class DedupSpec private[windrow] (
    val within: TimeSpan,
    val orderBy: Seq[String],
    private[windrow] val windows: WindowOperatorSpec,
    val keep: Keep,
    val retracts: Boolean) extends Serializable {
  def lateness: TimeSpan          = windows.lateness
  def maxFuture: Option[TimeSpan] = windows.maxFuture

  /** How far the watermark passes the time of a last row before it is emitted. */
  private[windrow] def span: TimeSpan = TimeSpan(within.micros + lateness.micros)

  override def toString: String =
    s"dedup(within='$within'${if (keep == Keep.First) "" else s", keep='$keep'"})"
}
