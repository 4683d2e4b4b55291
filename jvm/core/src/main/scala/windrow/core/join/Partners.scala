package windrow.core.join

import windrow.JoinSpec
import windrow.core.store.Axis
import windrow.core.store.MessageRun
import windrow.core.store.StoredMessage

/** Finds what a message goes together with. */
private[join] final class Partners(spec: JoinSpec, rule: PairRule) {

  /** Every group of one message of each stream, this one among them, such that all conditions hold (SEMANTICS R38). */
  def of(runs: IndexedSeq[MessageRun], stream: Int, message: StoredMessage): Iterator[Vector[StoredMessage]] =
    grow(runs, Map(stream -> message), runs.indices.filter(_ != stream).toList)
      .map(group => runs.indices.map(group).toVector)

  /** The first stream comes first: all ranges go from it. */
  private def grow(
      runs: IndexedSeq[MessageRun],
      group: Map[Int, StoredMessage],
      missing: List[Int]): Iterator[Map[Int, StoredMessage]] = missing match {
    case Nil => Iterator.single(group)
    case next :: rest =>
      candidates(runs(next), next, group).flatMap(found => grow(runs, group + (next -> found), rest))
  }

  private def candidates(run: MessageRun, stream: Int, group: Map[Int, StoredMessage]): Iterator[StoredMessage] = {
    val spans = group.toSeq.map { case (of, message) => rule.range(message, of, stream) }
    if (spans.exists(_.isEmpty)) Iterator.empty
    else {
      val span = spans.flatten.reduce((a, b) => Span(math.max(a.low, b.low), math.min(a.high, b.high)))
      run.range(Axis.Time, Some(span.low), Some(span.high)).filter(found => fits(found, stream, group))
    }
  }

  private def fits(found: StoredMessage, stream: Int, group: Map[Int, StoredMessage]): Boolean = group.forall {
    case (of, message) => (!spec.hasKeys || message.key == found.key) && rule.pairs(message, of, found, stream)
  }
}
