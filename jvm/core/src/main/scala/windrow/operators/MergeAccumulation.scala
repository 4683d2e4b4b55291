package windrow.operators

import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** An aggregate over the messages of several streams in one window (named after Malhar's; SEMANTICS R56).
  *
  * @tparam B
  *   buffer
  * @tparam V
  *   value
  */
trait MergeAccumulation[M, B, V] extends Aggregation[B, V] {

  /** The buffer of one message.
    *
    * @param stream
    *   index of its stream among the operator's, from 0
    */
  def lift(stream: Int, message: M): B

  /** Whether the value depends on the order of the messages. If so, they are combined in order of time, regardless of
    * when they arrived, and all of them are kept in the state.
    */
  def isOrdered: Boolean = true
}

/** Collects the messages of each stream, in order of time.
  *
  * @param streams
  *   number of streams
  */
final class CoGroup[M](streams: Int, messages: Codec[M])
    extends MergeAccumulation[M, Vector[(Int, M)], Vector[Vector[M]]] {
  private type Buffer = Vector[(Int, M)]

  def lift(stream: Int, message: M): Buffer        = Vector((stream, message))
  def zero: Buffer                                 = Vector.empty
  def combine(left: Buffer, right: Buffer): Buffer = left ++ right
  def copy(buffer: Buffer): Buffer                 = buffer
  def lower(buffer: Buffer): Vector[Vector[M]] =
    Vector.tabulate(streams)(stream => buffer.collect { case (`stream`, message) => message })

  def write(buffer: Buffer, out: ByteWriter): Unit = {
    out.count(buffer.size.toLong)
    buffer.foreach { case (stream, message) =>
      out.count(stream.toLong)
      messages.write(message, out)
    }
  }

  def read(in: ByteReader): Buffer = Vector.fill(in.size())((in.count().toInt, messages.read(in)))
}

/** Pairs every message of the first stream with every message of the second, in order of time of the first, then of the
  * second. Pairs need to agree only in the operator's key. A window in which one stream has no messages yields no
  * pairs.
  */
final class InnerJoin[M](messages: Codec[M]) extends MergeAccumulation[M, Vector[(Int, M)], Vector[(M, M)]] {
  private type Buffer = Vector[(Int, M)]

  private val both = new CoGroup(2, messages)

  def lift(stream: Int, message: M): Buffer        = both.lift(stream, message)
  def zero: Buffer                                 = both.zero
  def combine(left: Buffer, right: Buffer): Buffer = both.combine(left, right)
  def copy(buffer: Buffer): Buffer                 = buffer
  def lower(buffer: Buffer): Vector[(M, M)] = {
    val sides = both.lower(buffer)
    for (first <- sides(0); second <- sides(1)) yield (first, second)
  }
  def write(buffer: Buffer, out: ByteWriter): Unit = both.write(buffer, out)
  def read(in: ByteReader): Buffer                 = both.read(in)
}
