package windrow.core.join

import windrow.core.offsets.AppliedOffsets
import windrow.{EveryPeriod, JoinSpec}

/** The names of the spaces that a [[JoinShard]] uses, for stores that must know them in advance. */
object JoinSpaces {
  def of(spec: JoinSpec): Seq[String] =
    Seq("messages", "sides", "periods", AppliedOffsets.Space) ++
      Option.when(spec.early.isInstanceOf[EveryPeriod])(WaitingRows.Space)
}
