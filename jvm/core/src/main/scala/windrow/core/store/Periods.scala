package windrow.core.store

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Key
import windrow.core.state.SortedRun
import windrow.core.state.Spaces
import windrow.core.time.Due

/** When the periods of keys end, in microseconds of processing time. */
private[core] final class Periods(store: Spaces) {
  private val ends = new SortedRun[Unit]("periods", store, NothingCodec)

  def await(key: Key, end: Long): Unit = {
    val known = ends.peek(end)
    if (known == null || !known.containsKey(key)) ends.at(end).put(key, ())
  }

  /** Keys of which some period has ended. */
  def due(now: Option[Long]): Iterator[Key] = now.iterator.flatMap { now =>
    Iterator.unfold(Due.AtOnce)(from => ends.ceiling(from).filter(_ <= now).map(at => (at, at + 1)))
      .flatMap(at => ends.peek(at).keySet.toArray(Array.empty[Key]))
  }

  /** When the first of them ends. */
  def first: Option[Long] = ends.ceiling(Due.AtOnce)

  def forget(now: Option[Long]): Unit = now.foreach(now => ends.dropBelow(now + 1))

  def flush(): Unit                         = ends.flush()
  def readDirectory(in: ByteReader): Unit   = ends.readDirectory(in)
  def writeDirectory(out: ByteWriter): Unit = ends.writeDirectory(out)
}
