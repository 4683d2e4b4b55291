package windrow

/** A limit on the contents of a window, or on the time between two of its firings (SEMANTICS P). */
sealed trait By {
  def problems: Seq[SpecProblem]
}

/** A limit counted in messages. */
final case class ByCount(n: Long) extends By {
  def problems: Seq[SpecProblem] = NumberCheck.atLeastOne("n", n)
}

/** A limit of processing time. */
final case class ByTime(period: TimeSpan) extends By {
  def problems: Seq[SpecProblem] = NumberCheck.positive("period", period)
}

/** A limit on the increase of a column's value. A decrease or a null does not count (SEMANTICS R85, R89). */
final case class ByDelta(column: String, delta: Double) extends By {
  def problems: Seq[SpecProblem] =
    Option.when(!(delta >= 0))(SpecProblem("DELTA_NEGATIVE", "delta" -> delta)).toSeq
}

/** Decides how messages leave a window with policies. */
sealed trait Eviction extends Product {
  def problems: Seq[SpecProblem]
}

object Eviction {

  /** All messages leave at once. */
  final case class Tumbling(by: By) extends Eviction {
    def problems: Seq[SpecProblem] = by.problems
  }

  /** All messages leave at once at a punctuation: a message with true in `column` is the last one of its window. */
  final case class ByPunctuation(column: String) extends Eviction {
    def problems: Seq[SpecProblem] = Nil
  }

  /** Messages leave one by one. The window emits its contents when `trigger` fires. */
  final case class Sliding(by: By, trigger: By) extends Eviction {
    def problems: Seq[SpecProblem] = by.problems ++ trigger.problems
  }
}

/** Limits at which the windows of entire keys are removed. Each limit can be used alone or with others (SEMANTICS R66).
  *
  * @param idle
  *   processing time since a key's last row
  * @param maxKeys
  *   total number of keys
  * @param maxRows
  *   total number of rows of all keys
  */
final case class KeyLimits(
    idle: Option[TimeSpan] = None,
    maxKeys: Option[Long] = None,
    maxRows: Option[Long] = None) {
  def problems: Seq[SpecProblem] =
    idle.toSeq.flatMap(NumberCheck.positive("idle", _)) ++ maxKeys.toSeq.flatMap(NumberCheck.atLeastOne(
      "maxKeys",
      _)) ++
      maxRows.toSeq.flatMap(NumberCheck.atLeastOne("maxRows", _))

  /** Whether a limit applies to all keys together, which then share one shard. */
  def areShared: Boolean = maxKeys.isDefined || maxRows.isDefined
}

object KeyLimits {
  val NotStated: KeyLimits = KeyLimits()
}

/** A checked description of windows with policies (as in IBM Streams); an instance always is valid. It has no lateness,
  * watermark or triggers, because these do not affect policy windows.
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
    *   with all problems
    */
  def checked(eviction: Eviction, limits: KeyLimits = KeyLimits.NotStated): PolicyWindowSpec =
    check(eviction, limits).fold(found => throw SpecError("Policy", found), identity)
}
