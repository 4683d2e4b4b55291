package windrow.core.join

import windrow.JoinSpec
import windrow.core.operator.ShardFingerprint
import windrow.core.state.FingerprintField
import windrow.core.time.Due

/** What of the times of a join is written into the state of a [[JoinShard]], and so may not change freely while that lives. */
object JoinFingerprint {

  /** Where no lateness refuses the messages of a stream, the retained time does, and by it their identities are forgotten
    * (SEMANTICS R13): a longer one would pair them twice.
    */
  def times(spec: JoinSpec): Seq[FingerprintField] = {
    val rule = PairRule(spec)
    ShardFingerprint.lateness(spec.lateness) +:
      Option.when(spec.streams.indices.exists(rule.tooLateFrom(0, _) == Due.Never))(
        ShardFingerprint.retained(spec.retention)).toSeq
  }
}
