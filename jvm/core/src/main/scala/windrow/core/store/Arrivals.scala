package windrow.core.store

import scala.collection.mutable.ArrayBuffer

/** The messages that were added to a run and are not in its pages yet, in any order. */
private[store] final class Arrivals(order: Ordering[StoredMessage]) {
  private var messages: ArrayBuffer[StoredMessage] = _ // null if there are none

  /** Approximate number of bytes of the messages. */
  var weight = 0L

  def isEmpty: Boolean = messages == null
  def size: Int        = if (isEmpty) 0 else messages.size

  def add(message: StoredMessage): Unit = {
    if (isEmpty) messages = new ArrayBuffer
    messages += message
    weight += message.weight
  }

  def clear(): Unit = {
    messages = null
    weight = 0
  }

  /** Removes all messages, and returns them in order. Settled ones precede equal ones that are not settled. */
  def take(): ArrayBuffer[StoredMessage] =
    if (isEmpty) ArrayBuffer.empty
    else {
      val all = messages
      clear()
      if (all.size > 1) all.sortInPlace()(inRun)
      all
    }

  private def inRun: Ordering[StoredMessage] = (a, b) => {
    val compared = order.compare(a, b)
    if (compared != 0) compared else java.lang.Boolean.compare(b.isSettled, a.isSettled)
  }
}
