package windrow.core.join

import windrow.JoinSpec
import windrow.core.time.Due

/** When messages of a join come too late, and how long they are kept, if no lateness is said (SEMANTICS S15). */
private[windrow] final class JoinLateness(spec: JoinSpec) {
  private val rule = PairRule(spec.withoutLateness)

  /** By stream, of a time the watermark from which on its messages are late. */
  val ends: IndexedSeq[Long => Long] =
    spec.streams.indices.map(stream => (time: Long) => rule.tooLateFrom(time, stream))

  /** Messages of some stream can be late. */
  def isKnown: Boolean = ends.exists(_(0) != Due.Never)

  /** How long messages wait for partners, in microseconds; 0 if nothing but retention says it. */
  def span: Long =
    spec.streams.indices.map(rule.neededUntil(0, _)).filter(_ != Due.Never).maxOption.fold(0L)(math.max(0L, _))
}
