package windrow.core.join

import windrow.JoinSpec
import windrow.core.time.Due

/** When messages of a join are late, and how long they are kept, if no lateness is set (SEMANTICS S15). */
private[windrow] final class JoinLateness(spec: JoinSpec) {
  private val rule = PairRules.of(spec.withoutLateness)

  /** For each stream, the watermark from which on messages of a time are late. */
  val ends: IndexedSeq[Long => Long] =
    spec.streams.indices.map(stream => (time: Long) => rule.tooLateFrom(time, stream))

  /** Whether messages of any stream can be late. */
  def isKnown: Boolean = ends.exists(_(0) != Due.Never)

  /** How long messages wait for partners, in microseconds; 0 if only retention limits it. */
  def span: Long =
    spec.streams.indices.map(rule.neededUntil(0, _)).filter(_ != Due.Never).maxOption.fold(0L)(math.max(0L, _))
}
