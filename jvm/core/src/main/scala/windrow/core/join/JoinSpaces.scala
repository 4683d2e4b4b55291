package windrow.core.join

import windrow.core.state.AppliedOffsets

/** The spaces of its store that a [[JoinShard]] uses, for stores that must know them beforehand. */
object JoinSpaces {
  val All: Seq[String] = Seq("messages", "sides", "periods", AppliedOffsets.Space)
}
