package windrow.core.aggregate

import java.util.Arrays
import scala.collection.mutable.ArrayBuffer
import windrow.core.state.{ByteReader, ByteWriter, Pieces}
import windrow.{Guard, Guards}

/** The lifted messages of a window in the order of SEMANTICS T, for aggregates that depend on the order
  * (`collect_list`, `first`). The value is therefore independent of how the stream was cut into steps.
  */
final class OrderedBuffer[B] private[aggregate] (private[aggregate] var kept: MessageRope[B]) {
  def size: Long = kept.size
}

/** Wraps an aggregation so that it keeps the messages; a window needs the space of its messages. Adding and writing a
  * message costs the same for any size of the window; messages are sorted and combined when the value is computed.
  *
  * Large buffers move messages to stored pieces of at least `pieceBytes`. The size of pieces grows with their number,
  * so that writing the list of pieces costs no more than writing one piece.
  */
final class OrderedAggregation[B, V] private (
    inner: Aggregation[B, V],
    pieceBytes: Int,
    apart: Option[OrderedAggregation.Place])
    extends Aggregation[OrderedBuffer[B], V] {
  import MessageRope.{Leaf, LoadedLeaf, StoredLeaf}

  def this(inner: Aggregation[B, V], pieceBytes: Int = 4096) = this(inner, pieceBytes, None)

  private[windrow] override def in(pieces: Pieces, guards: Guards): OrderedAggregation[B, V] =
    new OrderedAggregation(inner, pieceBytes, Some(OrderedAggregation.Place(pieces, guards)))

  /** @param order
    *   position of the message among those of its window, compared as unsigned bytes
    */
  def lift(order: Array[Byte], lifted: B): OrderedBuffer[B] =
    new OrderedBuffer(new LoadedLeaf(Array(new LiftedMessage(order, lifted))))

  private[windrow] override def comparePlaces(left: OrderedBuffer[B], right: OrderedBuffer[B]): Int =
    Arrays.compareUnsigned(first(left).order, first(right).order)

  private def first(buffer: OrderedBuffer[B]): LiftedMessage[B] = messages(buffer.kept.leaves.next())(0)

  /** Messages are combined one by one, in their order. */
  override def isExact: Boolean = true

  def zero: OrderedBuffer[B] = new OrderedBuffer(MessageRope.nothing)

  def combine(left: OrderedBuffer[B], right: OrderedBuffer[B]): OrderedBuffer[B] =
    new OrderedBuffer(MessageRope.both(left.kept, right.kept))

  /** A copy that shares the messages. Each owner moves them to pieces of its own and only removes these. */
  def copy(buffer: OrderedBuffer[B]): OrderedBuffer[B] = new OrderedBuffer(buffer.kept)

  def lower(buffer: OrderedBuffer[B]): V = lowerUntil(buffer, None)

  private[windrow] override def lowerUntil(buffer: OrderedBuffer[B], end: Option[Long]): V = {
    apart.foreach(_.guards.check(Guard.MessagesPerWindow, buffer.size, "a window"))
    val all = new ArrayBuffer[LiftedMessage[B]] // not sized in advance, because a damaged size may be wrong
    buffer.kept.leaves.foreach(messages(_).foreach(all += _))
    inner.lowerAll(MessageRope.sorted(all).iterator.map(_.lifted), end)
  }

  private[windrow] override val carrier: Option[ValueCarrier[OrderedBuffer[B]]] =
    inner.carrier.map(_.of(combined)(lift(Array.emptyByteArray, _)))

  private def combined(buffer: OrderedBuffer[B]): B = {
    val all = new ArrayBuffer[LiftedMessage[B]]
    buffer.kept.leaves.foreach(messages(_).foreach(all += _))
    MessageRope.sorted(all).iterator.map(_.lifted).foldLeft(inner.zero)(inner.combine)
  }

  private def messages(leaf: Leaf[B]): LoadedLeaf[B] = leaf match {
    case here: LoadedLeaf[B]  => here
    case piece: StoredLeaf[B] => apart.get.pieces.read(piece.id)(readMessages(_, piece.size))
  }

  // ---- as bytes

  /** Writes a buffer. One leaf is written as the number of its messages and these; `InLeaves` replaces the number for
    * several leaves, so the earlier format stays valid.
    */
  def write(buffer: OrderedBuffer[B], out: ByteWriter): Unit = buffer.kept.joined match {
    case Vector()                    => out.count(0)
    case Vector(here: LoadedLeaf[B]) => write(here, out)
    case leaves =>
      out.count(OrderedAggregation.InLeaves)
      out.count(leaves.size.toLong)
      leaves.foreach {
        case piece: StoredLeaf[B] =>
          out.count(piece.id)
          out.count(piece.size)
        case here: LoadedLeaf[B] =>
          out.count(OrderedAggregation.IsHere)
          write(here, out)
      }
  }

  private def write(here: LoadedLeaf[B], out: ByteWriter): Unit = {
    out.count(here.size)
    here.foreach(write(_, out))
  }

  private def write(message: LiftedMessage[B], out: ByteWriter): Unit = {
    out.bytes(message.order)
    inner.write(message.lifted, out)
  }

  def read(in: ByteReader): OrderedBuffer[B] = {
    val size = in.count()
    new OrderedBuffer(
      if (size != OrderedAggregation.InLeaves) readMessages(in, size)
      else Seq.fill(in.size())(readLeaf(in)).foldLeft(MessageRope.nothing[B])(MessageRope.both))
  }

  private def readLeaf(in: ByteReader): MessageRope[B] = {
    val id   = in.count()
    val size = in.count()
    if (id == OrderedAggregation.IsHere) readMessages(in, size) else new StoredLeaf(id, size)
  }

  private def readMessages(in: ByteReader, size: Long): LoadedLeaf[B] =
    new LoadedLeaf(Array.fill(in.fitting(size))(new LiftedMessage(in.bytes(), inner.read(in))))

  // ---- in pieces

  /** Up to this number, messages stay in their buffer, whatever their size. */
  private val few = pieceBytes / 512L

  private[windrow] override val storage: Option[BufferStorage[OrderedBuffer[B]]] =
    Some(new BufferStorage[OrderedBuffer[B]] {
      def messages(buffer: OrderedBuffer[B]): Long = buffer.size

      def putApart(buffer: OrderedBuffer[B]): Unit = apart.foreach { place =>
        val leaves = buffer.kept.joined
        val here   = leaves.collect { case here: LoadedLeaf[B] => here }
        val enough = math.max(pieceBytes, (leaves.size - here.size) * OrderedAggregation.PieceInWords)
        if (here.map(_.size).sum > few && bytes(here) > enough)
          buffer.kept = leaves.flatMap {
            case here: LoadedLeaf[B]  => cut(here, enough, place.pieces)
            case piece: StoredLeaf[B] => Seq(piece)
          }.foldLeft(MessageRope.nothing[B])(MessageRope.both)
      }

      def release(buffer: OrderedBuffer[B]): Unit = apart.foreach(place =>
        buffer.kept.leaves.foreach {
          case piece: StoredLeaf[B] => place.pieces.release(piece.id)
          case _: LoadedLeaf[B]     => ()
        })
    })

  private def bytes(all: Seq[LoadedLeaf[B]]): Int = {
    val out = new ByteWriter(pieceBytes)
    all.foreach(_.foreach(write(_, out)))
    out.size
  }

  private def cut(here: LoadedLeaf[B], enough: Int, pieces: Pieces): Seq[StoredLeaf[B]] = {
    val out  = new ByteWriter(enough * 2)
    val made = Seq.newBuilder[StoredLeaf[B]]
    var size = 0L
    here.indices.foreach { i =>
      write(here(i), out)
      size += 1
      if (out.size >= enough || i == here.size - 1) {
        made += new StoredLeaf(pieces.put(out), size)
        out.clear()
        size = 0
      }
    }
    made.result()
  }
}

private object OrderedAggregation {

  /** The store of a shard for messages, and the limit of messages in a window. */
  final case class Place(pieces: Pieces, guards: Guards)

  /** Written instead of a number of messages. */
  val InLeaves: Long = Int.MaxValue + 1L

  /** Written instead of the number of a piece. */
  val IsHere = 0L

  /** Approximate size in bytes of a piece's entry. */
  val PieceInWords = 8
}
