package windrow.core.aggregate

import java.util.{ArrayDeque => JArrayDeque, Arrays}
import scala.collection.mutable.ArrayBuffer

/** A lifted message and its position, compared as unsigned bytes. */
private[aggregate] final class LiftedMessage[B](val order: Array[Byte], val lifted: B)

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
      while (next.isInstanceOf[MessageRope.Branch[B]]) {
        val both = next.asInstanceOf[MessageRope.Branch[B]]
        waiting.push(both.right)
        next = both.left
      }
      next.asInstanceOf[MessageRope.Leaf[B]]
    }
  }

  /** The same messages in as few leaves as possible, each of them sorted. */
  final def joined: Vector[MessageRope.Leaf[B]] = {
    val all               = Vector.newBuilder[MessageRope.Leaf[B]]
    val here              = new ArrayBuffer[LiftedMessage[B]]
    def closeHere(): Unit = if (here.nonEmpty) { all += MessageRope.inOrder(here); here.clear() }
    leaves.foreach {
      case some: MessageRope.LoadedLeaf[B]  => here ++= some.messages
      case apart: MessageRope.StoredLeaf[B] => closeHere(); all += apart
    }
    closeHere()
    all.result()
  }
}

private[aggregate] object MessageRope {
  sealed trait Leaf[B] extends MessageRope[B]

  final class LoadedLeaf[B](val messages: Array[LiftedMessage[B]]) extends Leaf[B] {
    def size: Long = messages.length.toLong
  }

  /** Sorted messages in a stored piece. */
  final class StoredLeaf[B](val id: Long, val size: Long) extends Leaf[B]

  final class Branch[B](val left: MessageRope[B], val right: MessageRope[B]) extends MessageRope[B] {
    val size: Long = left.size + right.size
  }

  def nothing[B]: MessageRope[B] = new LoadedLeaf(new Array[LiftedMessage[B]](0))

  def both[B](left: MessageRope[B], right: MessageRope[B]): MessageRope[B] =
    if (left.size == 0) right else if (right.size == 0) left else new Branch(left, right)

  /** Sorts messages; the sort is stable. Parts that are sorted already cost one comparison for each message. */
  def inOrder[B](messages: ArrayBuffer[LiftedMessage[B]]): LoadedLeaf[B] = {
    val sorted = new Array[LiftedMessage[B]](messages.size)
    messages.copyToArray(sorted)
    Arrays.sort(sorted, (a: LiftedMessage[B], b: LiftedMessage[B]) => Arrays.compareUnsigned(a.order, b.order))
    new LoadedLeaf(sorted)
  }
}
