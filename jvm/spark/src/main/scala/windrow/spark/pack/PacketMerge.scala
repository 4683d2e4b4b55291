package windrow.spark.pack

import java.util.Arrays
import java.util.PriorityQueue
import scala.collection.BufferedIterator
import windrow.ErrorConditions
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** Messages in their order, out of packets whose first messages are in order: neighbours out of one packet together. Only
  * packets that others overlap are held.
  *
  * @param broken
  *   is called where messages of a packet are not in order
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

  /** The least message of all is then that of the least packet which has begun. */
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

  /** The packets of a shard without places, their messages in order. Places must not fall: everything that is done with
    * messages relies on it.
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

  /** The messages of a packet, one after another. */
  private final class Messages(packet: Array[Byte]) extends Comparable[Messages] {
    private val in         = ByteReader(packet)
    private var placeFrom  = in.skipBytes()
    private var placeUntil = in.position
    private var from       = in.skipBytes()
    private var until      = in.position

    /** There is a message; else all have been taken. */
    var isThere = true

    def giveTo(out: ByteWriter): Unit = out.append(packet, from, until - from)

    /** To the next message; false: it stands before this one. */
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
