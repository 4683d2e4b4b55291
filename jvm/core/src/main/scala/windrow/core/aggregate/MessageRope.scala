package windrow.core.aggregate

import java.util.{ArrayDeque => JArrayDeque, Arrays}
import scala.collection.mutable.ArrayBuffer

/** A lifted message and its position, compared as unsigned bytes. */
private[aggregate] final class Placed[B](val order: Array[Byte], val lifted: B)

/** Messages in the order in which they were combined: an immutable rope, so buffers share its parts and concatenation
  * costs O(1). The messages are sorted when they are written and when their value is computed.
  */
private[aggregate] sealed trait MessageRope[B] {
  def size: Long

  /** The leaves from left to right. */
  final def leaves: Iterator[MessageRope.Leaf[B]] = {
    val waiting = new JArrayDeque[MessageRope[B]]
    if (size > 0) waiting.push(this)
    Iterator.continually(()).takeWhile(_ => !waiting.isEmpty).map { _ =>
      var next = waiting.pop()
      while (next.isInstanceOf[MessageRope.Both[B]]) {
        val both = next.asInstanceOf[MessageRope.Both[B]]
        waiting.push(both.right)
        next = both.left
      }
      next.asInstanceOf[MessageRope.Leaf[B]]
    }
  }

  /** The same messages in as few leaves as possible, each of them sorted. */
  final def joined: Vector[MessageRope.Leaf[B]] = {
    val all               = Vector.newBuilder[MessageRope.Leaf[B]]
    val here              = new ArrayBuffer[Placed[B]]
    def closeHere(): Unit = if (here.nonEmpty) { all += MessageRope.inOrder(here); here.clear() }
    leaves.foreach {
      case some: MessageRope.Here[B]   => here ++= some.messages
      case apart: MessageRope.Apart[B] => closeHere(); all += apart
    }
    closeHere()
    all.result()
  }
}

private[aggregate] object MessageRope {
  sealed trait Leaf[B] extends MessageRope[B]

  final class Here[B](val messages: Array[Placed[B]]) extends Leaf[B] {
    def size: Long = messages.length.toLong
  }

  /** Sorted messages in a stored piece. */
  final class Apart[B](val id: Long, val size: Long) extends Leaf[B]

  final class Both[B](val left: MessageRope[B], val right: MessageRope[B]) extends MessageRope[B] {
    val size: Long = left.size + right.size
  }

  def nothing[B]: MessageRope[B] = new Here(new Array[Placed[B]](0))

  def both[B](left: MessageRope[B], right: MessageRope[B]): MessageRope[B] =
    if (left.size == 0) right else if (right.size == 0) left else new Both(left, right)

  /** Sorts messages; the sort is stable. Parts that are sorted already cost one comparison for each message. */
  def inOrder[B](messages: ArrayBuffer[Placed[B]]): Here[B] = {
    val sorted = new Array[Placed[B]](messages.size)
    messages.copyToArray(sorted)
    Arrays.sort(sorted, (a: Placed[B], b: Placed[B]) => Arrays.compareUnsigned(a.order, b.order))
    new Here(sorted)
  }
}
