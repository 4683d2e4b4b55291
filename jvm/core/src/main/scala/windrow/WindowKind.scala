package windrow

/** What the windows of an operator are (SEMANTICS W). All bounds are event time in microseconds since the epoch, UTC. */
sealed trait WindowKind {

  /** Everything wrong with the bounds themselves. */
  def problems: Seq[SpecProblem]
}

/** Windows that depend on time alone: the same for every key. */
sealed trait AlignedWindows extends WindowKind {
  def size: TimeSpan
  def step: TimeSpan
  def offset: TimeSpan

  final def problems: Seq[SpecProblem] =
    Seq("size" -> size, "step" -> step).distinctBy(_._2).collect {
      case (name, span) if span.micros <= 0 =>
        SpecProblem("SIZE_NOT_POSITIVE", s"$name is '$span'; it must be longer than 0 microseconds.")
    }
}

/** `[start, end)` windows side by side, aligned to `offset` from the epoch. */
final case class Tumbling(size: TimeSpan, offset: TimeSpan = TimeSpan.Zero) extends AlignedWindows {
  def step: TimeSpan = size
  override def toString: String =
    s"Tumbling('$size'${if (offset == TimeSpan.Zero) "" else s", offset='$offset'"})"
}

/** `[start, end)` windows of `size`, one every `step`. A step that does not divide the size is allowed; a step longer
  * than the size leaves gaps, whose messages are counted and belong to no window.
  */
final case class Hopping(size: TimeSpan, step: TimeSpan, offset: TimeSpan = TimeSpan.Zero) extends AlignedWindows {
  override def toString: String =
    s"Hopping('$size', step='$step'${if (offset == TimeSpan.Zero) "" else s", offset='$offset'"})"
}

/** `[first, last + gap)`: messages of a key at most `gap` apart share a session.
  *
  * @param gap
  *   None when every message brings its own
  */
final case class Session(gap: Option[TimeSpan]) extends WindowKind {
  def problems: Seq[SpecProblem] = gap.toSeq.collect {
    case span if span.micros <= 0 =>
      SpecProblem("GAP_NOT_POSITIVE", s"gap is '$span'; it must be longer than 0 microseconds.")
  }
  override def toString: String = gap.fold("Session(gap of each message)")(span => s"Session('$span')")
}

object Session {
  def apply(gap: TimeSpan): Session = new Session(Some(gap))

  /** Every message brings its own gap. */
  val OfMessage: Session = new Session(None)
}
