package windrow.core.operator

import java.util.{TreeMap => JTreeMap}
import scala.collection.mutable
import windrow.SourcePartition
import windrow.core.aggregate.StartOffsets
import windrow.core.offsets.SourcePartitionCodec
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.core.time.{Axis, Front, Position}

package keyed


/** The windows of a key that its own messages have completed (SEMANTICS R7): those whose end a message has reached,
  * except windows that still wait for a message past their end with a later offset than their first message. Ends are
  * exclusive.
  */
private[core] final class KeyCompletion[A <: Axis] {
  private var greatest = Position.Least

  /** For each partition, the Pareto front of its messages: ascending positions with descending offsets. A message is
    * omitted if another one has a greater position and a greater offset.
    */
  private val fronts = mutable.TreeMap.empty[SourcePartition, JTreeMap[Long, Long]]

  /** The greatest position of messages without an offset. */
  private var unnumbered = Position.Least

  /** End and id of each waiting window. */
  private val waiting = mutable.TreeSet.empty[(Long, Long)]

  /** The greatest position of a message. */
  def reached: Front[A] = Front(greatest)

  def isWaiting(end: Long, id: Long): Boolean  = waiting((end, id))
  def isComplete(end: Long, id: Long): Boolean = reached.reached(end) && !isWaiting(end, id)

  /** The least end of a waiting window. */
  def firstWaiting: Option[Long] = waiting.headOption.map(_._1)

  /** Ids of waiting windows, ordered by their ends. */
  def waitingIds: Iterator[Long] = waiting.iterator.map(_._2)

  /** Whether an accepted message is past an end and has a later offset than the first message of the window. */
  def isPassed(end: Long, starts: StartOffsets): Boolean = unnumbered >= end || fronts.exists {
    case (partition, front) =>
      val ahead = front.ceilingEntry(end)
      ahead != null && starts.areBefore(partition, ahead.getValue)
  }

  def await(end: Long, id: Long): Unit    = { waiting += ((end, id)); () }
  def complete(end: Long, id: Long): Unit = { waiting -= ((end, id)); () }

  /** Records an accepted message. */
  def add(position: Long, origin: Option[Origin]): Unit = {
    greatest = math.max(greatest, position)
    origin.fold { unnumbered = math.max(unnumbered, position) } { one =>
      val front = fronts.getOrElseUpdate(one.partition, new JTreeMap)
      val ahead = front.ceilingEntry(position)
      if (ahead == null || ahead.getValue < one.offset) {
        var behind = front.floorEntry(position)
        while (behind != null && behind.getValue <= one.offset) {
          front.remove(behind.getKey)
          behind = front.floorEntry(position)
        }
        front.put(position, one.offset)
        ()
      }
    }
  }

  /** Removes windows that end at or before a position because the watermark has closed them. */
  def close(position: Long): Unit = {
    forget(position)
    if (greatest <= position) clear()
  }

  /** Removes windows that end at or before a position, but keeps the greatest position, which is recorded nowhere else.
    */
  def forget(position: Long): Unit = {
    waiting.filterInPlace(_._1 > position)
    fronts.values.foreach(_.headMap(position, true).clear())
    fronts.filterInPlace((_, front) => !front.isEmpty)
  }

  def clear(): Unit = {
    greatest = Position.Least
    unnumbered = Position.Least
    waiting.clear()
    fronts.clear()
  }

  def read(in: ByteReader): Unit = if (in.byte() == 1) {
    greatest = in.long()
    unnumbered = in.long()
    (0 until in.size()).foreach(_ => waiting += ((in.long(), in.long())))
    (0 until in.size()).foreach { _ =>
      val front = new JTreeMap[Long, Long]
      fronts(SourcePartitionCodec.read(in)) = front
      (0 until in.size()).foreach(_ => front.put(in.long(), in.long()))
    }
  }

  def write(out: ByteWriter): Unit = {
    out.byte(if (reached.isDefined) 1 else 0)
    if (reached.isDefined) {
      out.long(greatest)
      out.long(unnumbered)
      out.count(waiting.size.toLong)
      waiting.foreach { case (end, id) => out.long(end); out.long(id) }
      out.count(fronts.size.toLong)
      fronts.foreach { case (partition, front) =>
        SourcePartitionCodec.write(partition, out)
        out.count(front.size.toLong)
        front.forEach { (position, offset) => out.long(position); out.long(offset) }
      }
    }
  }
}
