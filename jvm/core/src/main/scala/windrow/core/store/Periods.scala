package windrow.core.store

import windrow.core.state.{Key, SortedRun, Spaces, StatePart, StateParts}
import windrow.core.time.Due

/** The ends of keys' periods, in microseconds of processing time. A clock can be set back (SEMANTICS R86), so periods
  * are removed one by one after they have ended, and earlier times remain possible.
  */
private[core] final class Periods(store: Spaces) extends StateParts {
  private val ends = new SortedRun[Unit]("periods", store, NothingCodec)

  def await(key: Key, end: Long): Unit = {
    val known = ends.peek(end)
    if (known == null || !known.containsKey(key)) ends.at(end).put(key, ())
  }

  /** Keys with a period that has ended. */
  def due(now: Option[Long]): Iterator[Key] = ended(now).flatMap(at => ends.peek(at).keysInOrder.toVector)

  private def ended(now: Option[Long]): Iterator[Long] = now.iterator.flatMap(now =>
    Iterator.unfold(Due.AtOnce)(from => ends.ceiling(from).filter(_ <= now).map(at => (at, at + 1))))

  /** The end of the first period. */
  def first: Option[Long] = ends.ceiling(Due.AtOnce)

  def forget(now: Option[Long]): Unit = ended(now).foreach(ends.at(_).clear())

  protected def parts: Seq[StatePart] = Seq(ends)
}
