package windrow.operators

import scala.collection.immutable.Queue

/** Queue of outputs until the consumer accepts them. `beforeSend` sees each output once; then it waits in firing order.
  *
  * @param beforeSend
  *   called again with the same output if it throws
  */
private[operators] final class Outbox[R](beforeSend: R => Option[R]) {
  private var unshown = Queue.empty[R]
  private var waiting = Queue.empty[R]

  /** Number of waiting outputs. */
  def size: Int = waiting.size

  def add(outputs: Seq[R]): Unit = unshown ++= outputs

  def show(): Unit = while (unshown.nonEmpty) {
    waiting ++= beforeSend(unshown.head)
    unshown = unshown.tail
  }

  /** All waiting outputs. */
  def shown: Seq[R] = {
    show()
    waiting
  }

  /** Sends outputs in order until one is rejected.
    *
    * @return
    *   true if none is waiting
    */
  def send(to: R => Boolean): Boolean = {
    while (waiting.nonEmpty && to(waiting.head)) waiting = waiting.tail
    waiting.isEmpty
  }

  /** Removes the waiting outputs because the consumer already has them. */
  def forget(): Unit = waiting = Queue.empty

  def clear(): Unit = {
    unshown = Queue.empty
    forget()
  }
}
