package windrow.core.aggregate

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
final class Ordered[B, V] private (inner: Aggregation[B, V], pieceBytes: Int, apart: Option[Ordered.Place])
    extends Aggregation[OrderedBuffer[B], V] {
  import MessageRope.{Apart, Here, Leaf}

  def this(inner: Aggregation[B, V], pieceBytes: Int = 4096) = this(inner, pieceBytes, None)

  private[windrow] override def in(pieces: Pieces, guards: Guards): Ordered[B, V] =
    new Ordered(inner, pieceBytes, Some(Ordered.Place(pieces, guards)))

  /** @param order
    *   position of the message among those of its window, compared as unsigned bytes
    */
  def lift(order: Array[Byte], lifted: B): OrderedBuffer[B] =
    new OrderedBuffer(new Here(Array(new Placed(order, lifted))))

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
    val all = new ArrayBuffer[Placed[B]] // not sized in advance, because a damaged size may be wrong
    buffer.kept.leaves.foreach(all ++= messages(_))
    inner.lowerAll(MessageRope.inOrder(all).messages.iterator.map(_.lifted), end)
  }

  private[windrow] override val carrying: Option[Carrying[OrderedBuffer[B]]] =
    inner.carrying.map(_.of(combined)(lift(Array.emptyByteArray, _)))

  private def combined(buffer: OrderedBuffer[B]): B = {
    val all = new ArrayBuffer[Placed[B]]
    buffer.kept.leaves.foreach(all ++= messages(_))
    MessageRope.inOrder(all).messages.iterator.map(_.lifted).foldLeft(inner.zero)(inner.combine)
  }

  private def messages(leaf: Leaf[B]): Array[Placed[B]] = leaf match {
    case here: Here[B]   => here.messages
    case piece: Apart[B] => apart.get.pieces.read(piece.id)(readMessages(_, piece.size))
  }

  // ---- as bytes

  /** Writes a buffer. One leaf is written as the number of its messages and these; `InLeaves` replaces the number for
    * several leaves, so the earlier format stays valid.
    */
  def write(buffer: OrderedBuffer[B], out: ByteWriter): Unit = buffer.kept.joined match {
    case Vector()              => out.count(0)
    case Vector(here: Here[B]) => write(here, out)
    case leaves =>
      out.count(Ordered.InLeaves)
      out.count(leaves.size.toLong)
      leaves.foreach {
        case piece: Apart[B] =>
          out.count(piece.id)
          out.count(piece.size)
        case here: Here[B] =>
          out.count(Ordered.IsHere)
          write(here, out)
      }
  }

  private def write(here: Here[B], out: ByteWriter): Unit = {
    out.count(here.size)
    here.messages.foreach(write(_, out))
  }

  private def write(message: Placed[B], out: ByteWriter): Unit = {
    out.bytes(message.order)
    inner.write(message.lifted, out)
  }

  def read(in: ByteReader): OrderedBuffer[B] = {
    val size = in.count()
    new OrderedBuffer(
      if (size != Ordered.InLeaves) new Here(readMessages(in, size))
      else Seq.fill(in.size())(readLeaf(in)).foldLeft(MessageRope.nothing[B])(MessageRope.both))
  }

  private def readLeaf(in: ByteReader): MessageRope[B] = {
    val id   = in.count()
    val size = in.count()
    if (id == Ordered.IsHere) new Here(readMessages(in, size)) else new Apart(id, size)
  }

  private def readMessages(in: ByteReader, size: Long): Array[Placed[B]] =
    Array.fill(in.fitting(size))(new Placed(in.bytes(), inner.read(in)))

  // ---- in pieces

  /** Up to this number, messages stay in their buffer, whatever their size. */
  private val few = pieceBytes / 512L

  private[windrow] override val keeping: Option[Keeping[OrderedBuffer[B]]] = Some(new Keeping[OrderedBuffer[B]] {
    def messages(buffer: OrderedBuffer[B]): Long = buffer.size

    def putApart(buffer: OrderedBuffer[B]): Unit = apart.foreach { place =>
      val leaves = buffer.kept.joined
      val here   = leaves.collect { case here: Here[B] => here }
      val enough = math.max(pieceBytes, (leaves.size - here.size) * Ordered.PieceInWords)
      if (here.map(_.size).sum > few && bytes(here) > enough)
        buffer.kept = leaves.flatMap {
          case here: Here[B]   => cut(here, enough, place.pieces)
          case piece: Apart[B] => Seq(piece)
        }.foldLeft(MessageRope.nothing[B])(MessageRope.both)
    }

    def release(buffer: OrderedBuffer[B]): Unit = apart.foreach(place =>
      buffer.kept.leaves.foreach {
        case piece: Apart[B] => place.pieces.release(piece.id)
        case _: Here[B]      => ()
      })
  })

  private def bytes(all: Seq[Here[B]]): Int = {
    val out = new ByteWriter(pieceBytes)
    all.foreach(_.messages.foreach(write(_, out)))
    out.size
  }

  private def cut(here: Here[B], enough: Int, pieces: Pieces): Seq[Apart[B]] = {
    val out  = new ByteWriter(enough * 2)
    val made = Seq.newBuilder[Apart[B]]
    var size = 0L
    here.messages.indices.foreach { i =>
      write(here.messages(i), out)
      size += 1
      if (out.size >= enough || i == here.messages.length - 1) {
        made += new Apart(pieces.put(out), size)
        out.clear()
        size = 0
      }
    }
    made.result()
  }
}

private object Ordered {

  /** The store of a shard for messages, and the limit of messages in a window. */
  final case class Place(pieces: Pieces, guards: Guards)

  /** Written instead of a number of messages. */
  val InLeaves: Long = Int.MaxValue + 1L

  /** Written instead of the number of a piece. */
  val IsHere = 0L

  /** Approximate size in bytes of a piece's entry. */
  val PieceInWords = 8
}
