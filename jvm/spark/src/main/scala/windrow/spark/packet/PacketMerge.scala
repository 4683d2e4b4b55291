package windrow.spark.packet

import java.util.{Arrays, PriorityQueue}
import scala.collection.BufferedIterator
import windrow.ErrorConditions
import windrow.core.state.{ByteReader, ByteWriter}

/** Merges packets into rows in their order. The packets are sorted by their first rows. Consecutive rows from one
  * packet are emitted together, and only packets that overlap others are held in memory.
  *
  * @param broken
  *   called if the rows of a packet are not in order
  */
private final class PacketMerge(packets: BufferedIterator[PlacedPacket.Type], broken: () => Nothing)
    extends Iterator[Array[Byte]] {
  import PacketMerge._

  private val begun = new PriorityQueue[Messages]
  private val out   = new ByteWriter(1 << 10)

  def hasNext: Boolean = !begun.isEmpty || packets.hasNext

  def next(): Array[Byte] = {
    begin()
    val least = begun.poll()
    out.clear()
    take(least)
    while (least.isThere && !isOtherBefore(least)) take(least)
    if (least.isThere) begun.add(least)
    out.result()
  }

  /** Opens packets until the least remaining row is in the least open packet. */
  private def begin(): Unit =
    while (packets.hasNext && (begun.isEmpty || begun.peek.isBehind(packets.head._2)))
      begun.add(new Messages(packets.next()._1))

  private def take(of: Messages): Unit = {
    of.giveTo(out)
    if (!of.goOn()) broken()
  }

  private def isOtherBefore(message: Messages): Boolean =
    (!begun.isEmpty && message.compareTo(begun.peek) > 0) || (packets.hasNext && message.isBehind(packets.head._2))
}

private[spark] object PacketMerge {

  /** Returns the packets of a shard without places, with their rows in order. Places must not decrease, because all
    * further processing relies on it.
    */
  def inOrder(placed: Iterator[PlacedPacket.Type], shard: Int): Iterator[Array[Byte]] = {
    val packets = checked(placed, shard).buffered
    def notices = Iterator.continually(packets).takeWhile(all => all.hasNext && all.head._2.isEmpty).map(_.next()._1)
    notices ++ new PacketMerge(packets, () => throw broken(shard))
  }

  private def checked(placed: Iterator[PlacedPacket.Type], shard: Int): Iterator[PlacedPacket.Type] = {
    var last = PlacedPacket.Anywhere
    placed.map { packet =>
      if (Arrays.compareUnsigned(last, packet._2) > 0) throw broken(shard)
      last = packet._2
      packet
    }
  }

  private def broken(shard: Int) = new IllegalStateException(ErrorConditions.message("ORDER_BROKEN", "shard" -> shard))

  /** A cursor over the rows of a packet. */
  private final class Messages(packet: Array[Byte]) extends Comparable[Messages] {
    private val in         = ByteReader(packet)
    private var placeFrom  = in.skipBytes()
    private var placeUntil = in.position
    private var from       = in.skipBytes()
    private var until      = in.position

    /** Whether there is a present row; false after the last one. */
    var isThere = true

    def giveTo(out: ByteWriter): Unit = out.append(packet, from, until - from)

    /** Advances to the next row. Returns false if its place precedes that of the previous row. */
    def goOn(): Boolean = {
      isThere = in.hasNext
      !isThere || {
        val (lastFrom, lastUntil) = (placeFrom, placeUntil)
        placeFrom = in.skipBytes()
        placeUntil = in.position
        from = in.skipBytes()
        until = in.position
        Arrays.compareUnsigned(packet, lastFrom, lastUntil, packet, placeFrom, placeUntil) <= 0
      }
    }

    def isBehind(place: Array[Byte]): Boolean =
      Arrays.compareUnsigned(packet, placeFrom, placeUntil, place, 0, place.length) > 0

    def compareTo(other: Messages): Int = other.compareWith(packet, placeFrom, placeUntil)

    private def compareWith(of: Array[Byte], from: Int, until: Int): Int =
      Arrays.compareUnsigned(of, from, until, packet, placeFrom, placeUntil)
  }
}
