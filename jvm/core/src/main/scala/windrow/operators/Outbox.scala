package windrow.operators

import scala.collection.immutable.Queue

/** Outputs on their way to who takes them: `beforeSend` sees each, then they wait in firing order.
  *
  * @param beforeSend
  *   what it fails on it sees again the next time
  */
private[operators] final class Outbox[R](beforeSend: R => Option[R]) {
  private var unshown = Queue.empty[R]
  private var waiting = Queue.empty[R]

  /** How many wait. */
  def size: Int = waiting.size

  def add(outputs: Seq[R]): Unit = unshown ++= outputs

  def show(): Unit = while (unshown.nonEmpty) {
    waiting ++= beforeSend(unshown.head)
    unshown = unshown.tail
  }

  /** All that wait. */
  def shown: Seq[R] = {
    show()
    waiting
  }

  /** Sends in order, until one is refused.
    *
    * @return
    *   none waits
    */
  def send(to: R => Boolean): Boolean = {
    while (waiting.nonEmpty && to(waiting.head)) waiting = waiting.tail
    waiting.isEmpty
  }

  /** Others have those that waited. */
  def forget(): Unit = waiting = Queue.empty

  def clear(): Unit = {
    unshown = Queue.empty
    forget()
  }
}
