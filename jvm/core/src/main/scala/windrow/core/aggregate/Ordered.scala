package windrow.core.aggregate

import scala.collection.mutable.ArrayBuffer
import windrow.Guard
import windrow.Guards
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Pieces

/** The lifted messages of a window in the order of SEMANTICS T, for aggregates to which the order shows (`collect_list`,
  * `first`): so the value is the same however the stream was cut into steps.
  */
final class OrderedBuffer[B] private[aggregate] (private[aggregate] var kept: MessageRope[B]) {
  def size: Long = kept.size
}

/** Wraps an aggregation; space of a window is that of its messages. A message costs the same however many its window has
  * when it comes and when it is written; they are put in order and combined when the value is asked for.
  *
  * What a buffer has put apart stands in pieces of `pieceBytes` and more: they grow with their number, so that telling
  * them costs no more than to write one.
  */
final class Ordered[B, V] private (inner: Aggregation[B, V], pieceBytes: Int, apart: Option[Ordered.Place])
    extends Aggregation[OrderedBuffer[B], V] {
  import MessageRope.{Apart, Here, Leaf}

  def this(inner: Aggregation[B, V], pieceBytes: Int = 4096) = this(inner, pieceBytes, None)

  private[windrow] override def in(pieces: Pieces, guards: Guards): Ordered[B, V] =
    new Ordered(inner, pieceBytes, Some(Ordered.Place(pieces, guards)))

  /** @param order
    *   the message's position among those of its window, compared as unsigned bytes
    */
  def lift(order: Array[Byte], lifted: B): OrderedBuffer[B] =
    new OrderedBuffer(new Here(Array(new Placed(order, lifted))))

  /** Messages are combined one by one, in their order. */
  override def isExact: Boolean = true

  def zero: OrderedBuffer[B] = new OrderedBuffer(MessageRope.nothing)

  def combine(left: OrderedBuffer[B], right: OrderedBuffer[B]): OrderedBuffer[B] =
    new OrderedBuffer(MessageRope.both(left.kept, right.kept))

  /** Its messages are shared, but each owner puts them apart by itself, and lets go of its own pieces only. */
  def copy(buffer: OrderedBuffer[B]): OrderedBuffer[B] = new OrderedBuffer(buffer.kept)

  def lower(buffer: OrderedBuffer[B]): V = {
    apart.foreach(_.guards.check(Guard.MessagesPerWindow, buffer.size, "a window"))
    val all = new ArrayBuffer[Placed[B]] // what it is said to have may not be there
    buffer.kept.leaves.foreach(all ++= messages(_))
    inner.lowerAll(MessageRope.inOrder(all).messages.iterator.map(_.lifted))
  }

  private def messages(leaf: Leaf[B]): Array[Placed[B]] = leaf match {
    case here: Here[B]   => here.messages
    case piece: Apart[B] => apart.get.pieces.read(piece.id)(readMessages(_, piece.size))
  }

  // ---- as bytes

  /** One leaf stands as it always did; the number of messages tells. */
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

  /** So many messages stay with their buffer, whatever their size. */
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

  /** Where a shard puts messages apart, and how many a window may have. */
  final case class Place(pieces: Pieces, guards: Guards)

  /** In the place of a number of messages. */
  val InLeaves: Long = Int.MaxValue + 1L

  /** In the place of the number of a piece. */
  val IsHere = 0L

  /** The bytes that tell of a piece. */
  val PieceInWords = 8
}
