package windrow.testkit

import java.util.Arrays
import scala.collection.mutable
import windrow.core.state.{InMemoryShardStore, ShardStore, Space}

/** A failure of the store. The attempt that used the store is discarded. */
private[testkit] final class StoreFault(message: String) extends RuntimeException(message)

/** Passes the reads and writes of one attempt, and applies at most one fault to them.
  *
  * @param at
  *   the number, from 0, of the read or write that the fault affects
  * @param commits
  *   whether the writes of the attempt are kept
  */
private[testkit] final class Attempt(
    fault: Option[FaultPoint],
    at: Int,
    val commits: Boolean,
    counts: SimulationCounts) {
  private var reads, writes = 0

  /** Whether the fault has happened. An attempt may end before it. */
  var isHit = false

  private def hit(point: FaultPoint): Unit = {
    counts.hit(point)
    isHit = true
  }

  /** Returns the result of a read.
    *
    * @param now
    *   the stored value
    * @param before
    *   the value before the last write, None if there was none
    */
  def read(now: Array[Byte], before: => Option[Array[Byte]]): Array[Byte] = {
    val found = fault match {
      case Some(point @ FaultPoint.ReadFails) if reads == at =>
        hit(point)
        throw new StoreFault(s"read $at")
      case Some(point @ FaultPoint.ReadStale) if !isHit && reads >= at =>
        before.filterNot(Arrays.equals(_, now)).fold(now) { old =>
          hit(point)
          old
        }
      case _ => now
    }
    reads += 1
    found
  }

  /** Returns the value that is stored after a write.
    *
    * @param before
    *   the value that the write replaces
    */
  def write(bytes: Array[Byte], before: Array[Byte]): Array[Byte] = {
    val arrives = fault match {
      case Some(point) if writes == at =>
        damaged(point, bytes, before).fold(bytes) { damaged =>
          hit(point)
          damaged
        }
      case _ => bytes
    }
    writes += 1
    arrives
  }

  /** Returns the damaged bytes, or None if the fault cannot damage these bytes. */
  private def damaged(point: FaultPoint, bytes: Array[Byte], before: Array[Byte]): Option[Array[Byte]] = point match {
    case FaultPoint.WriteFails =>
      hit(point)
      throw new StoreFault(s"write $at")
    case FaultPoint.WriteShort => Some(bytes.take(bytes.length * (at % 4) / 4))
    case FaultPoint.WriteTorn =>
      val torn = bytes.take(bytes.length / 2) ++ Option(before).fold(Array.empty[Byte])(_.drop(bytes.length / 2))
      // A write that arrives completely, or not at all, is not a torn write.
      Option.unless(Arrays.equals(torn, bytes) || (before != null && Arrays.equals(torn, before)))(torn)
    case FaultPoint.BitFlips =>
      val flipped = bytes.clone()
      val bit     = (at * 7919 + bytes.length * 31) % (bytes.length * 8)
      flipped(bit / 8) = (flipped(bit / 8) ^ (1 << (bit % 8))).toByte
      Some(flipped)
    case FaultPoint.WriteDropped => Option(before).filterNot(Arrays.equals(_, bytes))
    case _                       => None
  }
}

/** The values of a shard before their last write that was kept. */
private[testkit] final class Before {
  private val values = mutable.HashMap.empty[(String, Long), Array[Byte]]

  def of(space: String, id: Long): Option[Array[Byte]]        = values.get((space, id)).map(_.clone())
  def note(space: String, id: Long, bytes: Array[Byte]): Unit = if (bytes != null) values((space, id)) = bytes
}

/** The store of a shard. Passes all reads and writes through the current attempt.
  *
  * @param attempt
  *   returns the current attempt
  */
private[testkit] final class FaultyStore(store: InMemoryShardStore, before: Before, attempt: () => Attempt)
    extends ShardStore {
  private val Header = ("", 0L)

  override def largeFrom: Int = store.largeFrom

  def header: Array[Byte] = attempt().read(store.header, before.of(Header._1, Header._2))

  def putHeader(bytes: Array[Byte]): Unit = {
    val was = store.header
    store.putHeader(attempt().write(bytes, was))
    if (attempt().commits) before.note(Header._1, Header._2, was)
  }

  def space(name: String): Space = {
    val inner = store.space(name)
    new Space {
      def get(id: Long): Array[Byte] = attempt().read(inner.get(id), before.of(name, id))
      def put(id: Long, bytes: Array[Byte]): Unit = {
        val was = inner.get(id)
        inner.put(id, attempt().write(bytes, was))
        if (attempt().commits) before.note(name, id, was)
      }
      def remove(id: Long): Unit = inner.remove(id)
    }
  }
}
