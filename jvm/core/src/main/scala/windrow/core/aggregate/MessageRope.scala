package windrow.core.aggregate

import java.util.{ArrayDeque => JArrayDeque, Arrays}
import scala.collection.mutable.ArrayBuffer

/** A lifted message and its position, compared as unsigned bytes. */
private[aggregate] final class LiftedMessage[B](val order: Array[Byte], val lifted: B)

/** Messages in the order in which they were combined: an immutable rope, so buffers share its parts and concatenation
  * costs O(1) amortized. The messages are sorted when they are written and when their value is computed.
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
  final def joined: Vector[MessageRope.Leaf[B]] = this match {
    case one: MessageRope.Leaf[B] if size == 1 => Vector(one)
    case _                                     => sortedLeaves
  }

  private def sortedLeaves: Vector[MessageRope.Leaf[B]] = {
    val all  = Vector.newBuilder[MessageRope.Leaf[B]]
    val here = new ArrayBuffer[LiftedMessage[B]]
    def closeHere(): Unit =
      if (here.nonEmpty) { all += new MessageRope.LoadedLeaf(MessageRope.sorted(here)); here.clear() }
    leaves.foreach {
      case some: MessageRope.LoadedLeaf[B]  => some.foreach(here += _)
      case apart: MessageRope.StoredLeaf[B] => closeHere(); all += apart
    }
    closeHere()
    all.result()
  }
}

private[aggregate] object MessageRope {
  sealed trait Leaf[B] extends MessageRope[B]

  /** Messages in memory: the first ones of an array to which a longer leaf can have added more. */
  final class LoadedLeaf[B] private (array: GrowingArray[B], count: Int) extends Leaf[B] {
    def this(messages: Array[LiftedMessage[B]]) = this(new GrowingArray(messages, messages.length), messages.length)

    def size: Long                                   = count.toLong
    def apply(index: Int): LiftedMessage[B]          = array.messages(index)
    def indices: Range                               = 0 until count
    def foreach(use: LiftedMessage[B] => Unit): Unit = indices.foreach(i => use(array.messages(i)))

    /** Returns a leaf with the messages of another one behind those of this one, or None if a branch is cheaper: the
      * other leaf has many messages, or the array has others behind those of this leaf.
      */
    def followedBy(more: LoadedLeaf[B]): Option[LoadedLeaf[B]] =
      if (more.size > Few) None
      else if (count + more.size <= Few) Some(added(new GrowingArray(array.messages.take(count), count), more))
      else Option.when(array.used == count)(added(array, more))

    private def added(to: GrowingArray[B], more: LoadedLeaf[B]): LoadedLeaf[B] = {
      more.foreach(to.add)
      new LoadedLeaf(to, to.used)
    }
  }

  /** Up to this number, messages are copied instead of shared. */
  private val Few = 8

  private final class GrowingArray[B](var messages: Array[LiftedMessage[B]], var used: Int) {
    def add(message: LiftedMessage[B]): Unit = {
      if (used == messages.length) messages = Arrays.copyOf(messages, math.max(2 * used, Few))
      messages(used) = message
      used += 1
    }
  }

  /** Sorted messages in a stored piece. */
  final class StoredLeaf[B](val id: Long, val size: Long) extends Leaf[B]

  final class Branch[B](val left: MessageRope[B], val right: MessageRope[B]) extends MessageRope[B] {
    val size: Long = left.size + right.size
  }

  def nothing[B]: MessageRope[B] = new LoadedLeaf(new Array[LiftedMessage[B]](0))

  def both[B](left: MessageRope[B], right: MessageRope[B]): MessageRope[B] =
    if (left.size == 0) right
    else if (right.size == 0) left
    else ((left, right) match {
      case (here: LoadedLeaf[B], more: LoadedLeaf[B]) => here.followedBy(more)
      case (branch: Branch[B], more: LoadedLeaf[B]) => branch.right match {
          case here: LoadedLeaf[B] => here.followedBy(more).map(new Branch(branch.left, _))
          case _                   => None
        }
      case _ => None
    }).getOrElse(new Branch(left, right))

  /** Sorts messages; the sort is stable. Parts that are sorted already cost one comparison for each message. */
  def sorted[B](messages: ArrayBuffer[LiftedMessage[B]]): Array[LiftedMessage[B]] = {
    val made = messages.toArray
    Arrays.sort(made, (a: LiftedMessage[B], b: LiftedMessage[B]) => Arrays.compareUnsigned(a.order, b.order))
    made
  }
}
