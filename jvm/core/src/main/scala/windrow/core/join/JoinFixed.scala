package windrow.core.join

import windrow.JoinSpec
import windrow.core.operator.ShardFixed
import windrow.core.state.Fixed

/** What of the times of a join is written into the state of a [[JoinShard]], and so may not change freely while that lives. */
object JoinFixed {

  /** Where no lateness refuses the messages of a stream, the retained time does, and by it their identities are forgotten
    * (SEMANTICS R13): a longer one would pair them twice.
    */
  def times(spec: JoinSpec): Seq[Fixed] = {
    val rule = PairRule(spec)
    ShardFixed.lateness(spec.lateness) +:
      Option.when(spec.streams.indices.exists(rule.tooLateFrom(0, _) == Long.MaxValue))(
        ShardFixed.retained(spec.retention)).toSeq
  }
}
