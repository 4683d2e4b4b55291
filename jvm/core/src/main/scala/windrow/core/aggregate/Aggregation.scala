package windrow.core.aggregate

import scala.annotation.unused
import windrow.Guards
import windrow.core.state.{Codec, Pieces}

/** Merges two partial results into one. */
trait Combiner[B] {

  /** The combination of both buffers, `left` before `right`. It may overwrite `left`, which the caller must not use
    * afterwards; it does not change `right`.
    */
  def combine(left: B, right: B): B

  /** A buffer that `combine` may overwrite without affecting `buffer`. */
  def copy(buffer: B): B
}

/** Makes the values of windows without messages (SEMANTICS R120).
  *
  * @tparam V
  *   value
  */
private[windrow] trait GapFiller[V] extends Codec[V] {

  /** The value of a window that no other window fills.
    *
    * @param own
    *   the value of no messages
    */
  def alone(own: V): V

  /** The value of a window that follows a window with messages. */
  def after(own: V, last: V): V

  /** The value of a window between two windows with messages.
    *
    * @param share
    *   its place between them, from 0 to 1
    */
  def between(own: V, last: V, next: V, share: Double): V
}

/** Lets a window begin with the last value of the messages before it (SEMANTICS R123). */
private[windrow] trait ValueCarrier[B] { self =>

  /** How long after a message its value can be carried into a window, in microseconds. */
  def limit: Long

  /** The part of a buffer that later windows can carry, independent of it; None if there is none. */
  def last(buffer: B): Option[B]

  /** Whether the buffers before a [[last]] cannot add anything to it. */
  def isWhole(last: B): Boolean

  /** The buffer with which a window begins that carries a [[last]]; None if that is too old. */
  def at(last: B, start: Long): Option[B]

  final def of[C](inner: C => B)(outer: B => C): ValueCarrier[C] = new ValueCarrier[C] {
    def limit: Long                         = self.limit
    def last(buffer: C): Option[C]          = self.last(inner(buffer)).map(outer)
    def isWhole(last: C): Boolean           = self.isWhole(inner(last))
    def at(last: C, start: Long): Option[C] = self.at(inner(last), start).map(outer)
  }
}

/** Computes a value from messages: each message is lifted to a buffer, buffers are combined, and a buffer is lowered to
  * a value.
  *
  * Laws (checked by testkit's `AggregationLaws`): `combine` is associative, `zero` is its identity, `copy` is
  * independent of its source, and `read(write(b))` equals `b`.
  *
  * @tparam B
  *   buffer
  * @tparam V
  *   value
  */
trait Aggregation[B, V] extends Codec[B] with Combiner[B] {

  /** The buffer of no messages. */
  def zero: B

  /** The value of a buffer, which stays usable. */
  def lower(buffer: B): V

  /** The value of a buffer, for a value that depends on the end of its window.
    *
    * @param end
    *   the end of the window (exclusive), if its rows do not determine it and it has passed
    */
  private[windrow] def lowerUntil(buffer: B, @unused end: Option[Long]): V = lower(buffer)

  /** The value of several buffers combined in this order. */
  private[windrow] def lowerAll(buffers: Iterator[B], end: Option[Long] = None): V =
    lowerUntil(buffers.foldLeft(zero)(combine), end)

  /** Whether the value is bit for bit the same however its messages are grouped when they are combined. Floating-point
    * sums are not exact: if a pane may be withdrawn or compared, such a value is stored as it was shown
    * (SEMANTICS R90).
    */
  def isExact: Boolean = false

  /** Compares the places of two single messages in the order of SEMANTICS T3, as the value reads them; 0 if the value does
    * not depend on it.
    */
  private[windrow] def comparePlaces(@unused left: B, @unused right: B): Int = 0

  /** Manages buffers that contain their messages and grow with them; None if buffers stay small. */
  private[windrow] def storage: Option[BufferStorage[B]] = None

  /** Makes values for windows without messages; None if their values are always those of no messages. */
  private[windrow] def filler: Option[GapFiller[V]] = None

  /** Lets windows carry values of earlier messages; None if their values depend on their own messages only. */
  private[windrow] def carrier: Option[ValueCarrier[B]] = None

  /** A copy for one shard, which can store messages outside their buffers. */
  private[windrow] def in(pieces: Pieces, guards: Guards): Aggregation[B, V] = this
}
