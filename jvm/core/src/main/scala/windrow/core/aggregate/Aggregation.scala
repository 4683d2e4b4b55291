package windrow.core.aggregate

import windrow.Guards
import windrow.core.state.Codec
import windrow.core.state.Pieces

/** How two parts become one. */
trait Combine[B] {

  /** The buffer of both, `left` before `right`. It may reuse `left`, which the caller gives up, and leaves `right` alone. */
  def combine(left: B, right: B): B

  /** A buffer that `combine` may use up without harm to `buffer`. */
  def copy(buffer: B): B
}

/** How messages become a value: each is lifted to a buffer, buffers are combined, a buffer is lowered to a value.
  *
  * Laws (testkit's `AggregationLaws`): `combine` is associative, `zero` is its identity, `copy` is independent of its
  * source, `read(write(b))` is `b`.
  *
  * @tparam B
  *   buffer
  * @tparam V
  *   value
  */
trait Aggregation[B, V] extends Codec[B] with Combine[B] {

  /** The buffer of no messages. */
  def zero: B

  /** The value of a buffer, which stays usable. */
  def lower(buffer: B): V

  /** The value of several buffers put together in this order. */
  private[windrow] def lowerAll(buffers: Iterator[B]): V = lower(buffers.foldLeft(zero)(combine))

  /** The value is the same to the bit however its messages are grouped as they are combined. Sums of floating point are not: where a
    * pane may be withdrawn or compared, such a value is stored as it was shown (SEMANTICS R90).
    */
  def isExact: Boolean = false

  /** How buffers keep their messages, where they grow with them; None: a buffer stays small. */
  private[windrow] def keeping: Option[Keeping[B]] = None

  /** The same for one shard, in whose store messages may be put apart. */
  private[windrow] def in(pieces: Pieces, guards: Guards): Aggregation[B, V] = this
}
