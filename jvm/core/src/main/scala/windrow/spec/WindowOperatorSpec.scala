package windrow

/** What a user has said so far; `check` turns it into a [[WindowOperatorSpec]] or names all that is wrong.
  *
  * @param lateness
  *   None: not stated
  */
final case class WindowOperatorDraft(
    window: WindowKind,
    lateness: Option[TimeSpan] = None,
    late: PaneTrigger = EachStep,
    accumulation: Option[AccumulationMode] = None,
    maxFuture: Option[TimeSpan] = None) {

  def check: Either[Seq[SpecProblem], WindowOperatorSpec] = {
    val refires = lateness.exists(_.micros > 0)
    val found = window.problems ++
      Option.when(lateness.isEmpty)(
        SpecProblem("LATENESS_NOT_STATED", "say lateness('0 seconds') or longer.")) ++
      lateness.filter(_.micros < 0).map(span =>
        SpecProblem("LATENESS_NEGATIVE", s"lateness is '$span'; it must be '0 seconds' or longer.")) ++
      Option.when(refires && accumulation.isEmpty)(SpecProblem(
        "ACCUMULATION_NOT_STATED",
        s"lateness '${lateness.get}' fires a window again: accumulate(ACCUMULATING).")) ++
      maxFuture.filter(_.micros < 0).map(span =>
        SpecProblem("MAX_FUTURE_NEGATIVE", s"maxFuture is '$span'; it must be '0 seconds' or longer.")) ++
      Some(late).collect {
        case Every(n) if n < 1 =>
          SpecProblem("COUNT_NOT_POSITIVE", s"late=Every(messages=$n): it must be 1 or more.")
      }
    Either.cond(found.isEmpty, new WindowOperatorSpec(this), found)
  }

  def checked: WindowOperatorSpec = check.fold(found => throw SpecError(window.toString, found), identity)
}

/** A checked description of a windowed aggregation (the sources' name). It exists only without problems. */
final class WindowOperatorSpec private[windrow] (val draft: WindowOperatorDraft) extends Serializable {
  def window: WindowKind             = draft.window
  def lateness: TimeSpan             = draft.lateness.get
  def late: PaneTrigger              = draft.late
  def accumulation: AccumulationMode = draft.accumulation.getOrElse(Accumulating)
  def maxFuture: Option[TimeSpan]    = draft.maxFuture
  override def equals(other: Any): Boolean = other match {
    case that: WindowOperatorSpec => draft == that.draft
    case _                        => false
  }
  override def hashCode: Int    = draft.hashCode
  override def toString: String = draft.toString
}
