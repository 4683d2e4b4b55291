package windrow.testkit

import windrow.core.state.InMemoryShardStore
import windrow.core.state.ShardStore
import windrow.core.state.Space

/** The store gave up; the attempt that it served is void. */
private[testkit] final class StoreFault(message: String) extends RuntimeException(message)

/** What a store does to the reads and writes of one attempt: nothing, or one fault.
  *
  * @param at
  *   the number of the read or write, from 0, that the fault befalls
  */
private[testkit] final class Attempt(fault: Option[FaultPoint], at: Int, counts: SimulationCounts) {
  private var reads, writes = 0

  /** The fault has happened; an attempt may end before it. */
  var isHit = false

  private def hit(point: FaultPoint): Unit = {
    counts.hit(point)
    isHit = true
  }

  def read(): Unit = {
    if (fault.contains(FaultPoint.ReadFails) && reads == at) {
      hit(FaultPoint.ReadFails)
      throw new StoreFault(s"read $at")
    }
    reads += 1
  }

  /** What arrives of bytes that are written where others were. */
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

  /** None: that is no fault of these bytes. */
  private def damaged(point: FaultPoint, bytes: Array[Byte], before: Array[Byte]): Option[Array[Byte]] = point match {
    case FaultPoint.WriteFails =>
      hit(point)
      throw new StoreFault(s"write $at")
    case FaultPoint.WriteShort => Some(bytes.take(bytes.length * (at % 4) / 4))
    case FaultPoint.WriteTorn =>
      val torn = bytes.take(bytes.length / 2) ++ Option(before).fold(Array.empty[Byte])(_.drop(bytes.length / 2))
      // All of it, or nothing of it, is no torn write.
      Option.unless(java.util.Arrays.equals(
        torn,
        bytes) || (before != null && java.util.Arrays.equals(torn, before)))(torn)
    case FaultPoint.BitFlips =>
      val flipped = bytes.clone()
      val bit     = (at * 7919 + bytes.length * 31) % (bytes.length * 8)
      flipped(bit / 8) = (flipped(bit / 8) ^ (1 << (bit % 8))).toByte
      Some(flipped)
    case _ => None
  }
}

/** A shard's store, through which its attempts pass.
  *
  * @param attempt
  *   that is on
  */
private[testkit] final class FaultyStore(store: InMemoryShardStore, attempt: () => Attempt) extends ShardStore {
  def header: Array[Byte] = {
    attempt().read()
    store.header
  }

  def putHeader(bytes: Array[Byte]): Unit = store.putHeader(attempt().write(bytes, store.header))

  def space(name: String): Space = {
    val inner = store.space(name)
    new Space {
      def get(id: Long): Array[Byte] = {
        attempt().read()
        inner.get(id)
      }
      def put(id: Long, bytes: Array[Byte]): Unit = inner.put(id, attempt().write(bytes, inner.get(id)))
      def remove(id: Long): Unit                  = inner.remove(id)
    }
  }
}
