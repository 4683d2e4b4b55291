package windrow.core.join

import windrow.core.state.Key
import windrow.core.store.StoredMessage
import windrow.{ExpectedSize, JoinSpec, Within}

/** How a join stores its messages (SEMANTICS R33).
  *
  * @param isPerKey
  *   whether each key has a run of its own; otherwise one run contains the messages of all keys
  * @param order
  *   the order of the messages of a run
  */
private[join] final case class MessageLayout(isPerKey: Boolean, order: Ordering[StoredMessage])

private[join] object MessageLayout {

  /** The key of the run that contains the messages of all keys. */
  val Everyone: Key = new Key(Array.empty)

  def of(spec: JoinSpec): MessageLayout = (spec.within, spec.expect) match {
    case (_: Within.Ranges, ExpectedSize.Small) if spec.hasKeys => MessageLayout(isPerKey = false, ByTimeAndKey)
    case _                                                      => MessageLayout(spec.hasKeys, StoredMessage.Order)
  }

  private val ByKey: Ordering[StoredMessage]  = (a, b) => java.util.Arrays.compareUnsigned(a.key.bytes, b.key.bytes)
  private val ByTime: Ordering[StoredMessage] = (a, b) => java.lang.Long.compare(a.time, b.time)

  private val ByTimeAndKey: Ordering[StoredMessage] = ByTime orElse ByKey orElse StoredMessage.Order
}
