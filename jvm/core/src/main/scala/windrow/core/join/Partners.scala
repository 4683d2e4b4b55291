package windrow.core.join

import scala.collection.immutable.ArraySeq
import windrow.JoinSpec
import windrow.core.store.{MessageRun, StoredMessage}
import windrow.core.time.Axis

/** Finds the messages that a message pairs with. */
private[join] final class Partners(spec: JoinSpec, rule: PairRule) {

  /** Every group of one message of each stream that includes this message and meets all conditions (SEMANTICS R38). */
  def of(runs: IndexedSeq[MessageRun], stream: Int, message: StoredMessage): Iterator[IndexedSeq[StoredMessage]] =
    if (runs.size == 2) pairs(runs(1 - stream), stream, message) else groups(runs, stream, message)

  private def pairs(run: MessageRun, stream: Int, message: StoredMessage): Iterator[IndexedSeq[StoredMessage]] =
    rule.range(message, stream, 1 - stream) match {
      case None => Iterator.empty
      case Some(span) =>
        run.range(Axis.Time, Some(span.low), Some(span.high))
          .filter(found => goTogether(message, stream, found, 1 - stream))
          .map(found => if (stream == 0) pair(message, found) else pair(found, message))
    }

  private def pair(first: StoredMessage, second: StoredMessage): IndexedSeq[StoredMessage] =
    ArraySeq.unsafeWrapArray(Array(first, second))

  private def goTogether(a: StoredMessage, streamA: Int, b: StoredMessage, streamB: Int): Boolean =
    (!spec.hasKeys || a.key == b.key) && rule.pairs(a, streamA, b, streamB)

  private def groups(
      runs: IndexedSeq[MessageRun],
      stream: Int,
      message: StoredMessage): Iterator[IndexedSeq[StoredMessage]] =
    grow(runs, Vector.fill(runs.size)(None).updated(stream, Some(message)), runs.indices.filter(_ != stream).toList)
      .map(_.flatten)

  private type Group = Vector[Option[StoredMessage]]

  /** Completes a group stream by stream, starting with the first one, because all ranges are relative to it. */
  private def grow(runs: IndexedSeq[MessageRun], group: Group, missing: List[Int]): Iterator[Group] = missing match {
    case Nil => Iterator.single(group)
    case next :: rest =>
      candidates(runs(next), next, group).flatMap(found => grow(runs, group.updated(next, Some(found)), rest))
  }

  private def candidates(run: MessageRun, stream: Int, group: Group): Iterator[StoredMessage] = {
    val known = for { (one, of) <- group.zipWithIndex; message <- one } yield (message, of)
    val spans = known.map { case (message, of) => rule.range(message, of, stream) }
    if (spans.exists(_.isEmpty)) Iterator.empty
    else {
      val span = spans.flatten.reduce((a, b) => Span(math.max(a.low, b.low), math.min(a.high, b.high)))
      run.range(Axis.Time, Some(span.low), Some(span.high)).filter(found =>
        known.forall { case (message, of) => goTogether(message, of, found, stream) })
    }
  }
}
