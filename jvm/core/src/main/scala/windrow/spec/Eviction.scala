package windrow

/** A limit on what a window holds, or between two of its firings (SEMANTICS P). */
sealed trait By {
  def problems: Seq[SpecProblem]
}

/** Messages. */
final case class ByCount(n: Long) extends By {
  def problems: Seq[SpecProblem] = WindowKind.atLeastOne("n", n)
}

/** Processing time. */
final case class ByTime(period: TimeSpan) extends By {
  def problems: Seq[SpecProblem] = WindowKind.positive("period", period)
}

/** How far the value of a column has grown; falling does not count (SEMANTICS R85), nor does a null (R89). */
final case class ByDelta(column: String, delta: Double) extends By {
  def problems: Seq[SpecProblem] =
    Option.when(!(delta >= 0))(SpecProblem("DELTA_NEGATIVE", "delta" -> delta)).toSeq
}

/** How messages leave a window of policies. */
sealed trait Eviction extends Product {
  def problems: Seq[SpecProblem]
}

object Eviction {

  /** All at once. */
  final case class Tumbling(by: By) extends Eviction {
    def problems: Seq[SpecProblem] = by.problems
  }

  /** All at once, at a punctuation: a message with true in `column` is the last one of its window. */
  final case class ByPunctuation(column: String) extends Eviction {
    def problems: Seq[SpecProblem] = Nil
  }

  /** One after the other; what is inside is told whenever `trigger` says so. */
  final case class Sliding(by: By, trigger: By) extends Eviction {
    def problems: Seq[SpecProblem] = by.problems ++ trigger.problems
  }
}

/** The limits at which the windows of whole keys are removed; each limit alone or several (SEMANTICS R66).
  *
  * @param idle
  *   processing time since a key's last row
  * @param maxKeys
  *   keys in all
  * @param maxRows
  *   rows of all keys together
  */
final case class KeyLimits(
    idle: Option[TimeSpan] = None,
    maxKeys: Option[Long] = None,
    maxRows: Option[Long] = None) {
  def problems: Seq[SpecProblem] =
    idle.toSeq.flatMap(WindowKind.positive("idle", _)) ++ maxKeys.toSeq.flatMap(WindowKind.atLeastOne("maxKeys", _)) ++
      maxRows.toSeq.flatMap(WindowKind.atLeastOne("maxRows", _))

  /** Whether a limit concerns all keys together, which then share one shard. */
  def areShared: Boolean = maxKeys.isDefined || maxRows.isDefined
}

object KeyLimits {
  val NotStated: KeyLimits = KeyLimits()
}

/** A checked description of windows by policies (IBM Streams); it exists only without problems. Lateness, watermarks and
  * triggers of other windows mean nothing here, so it has none.
  */
final class PolicyWindowSpec private (val eviction: Eviction, val limits: KeyLimits) extends Serializable

object PolicyWindowSpec {
  def check(
      eviction: Eviction,
      limits: KeyLimits = KeyLimits.NotStated): Either[Seq[SpecProblem], PolicyWindowSpec] = {
    val found = eviction.problems ++ limits.problems ++ SpanCheck(eviction) ++ SpanCheck(limits)
    Either.cond(found.isEmpty, new PolicyWindowSpec(eviction, limits), found)
  }

  /** @throws windrow.SpecError
    *   with all that is wrong
    */
  def checked(eviction: Eviction, limits: KeyLimits = KeyLimits.NotStated): PolicyWindowSpec =
    check(eviction, limits).fold(found => throw SpecError("Policy", found), identity)
}
