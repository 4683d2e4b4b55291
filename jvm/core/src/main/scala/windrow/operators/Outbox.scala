package windrow.operators

import scala.collection.immutable.Queue
import windrow.{CheckpointError, ErrorConditions}

/** The outputs of an operator until its consumer has them. It decides whether the operator accepts messages, and when
  * the state that led to the outputs can be persisted.
  */
private[windrow] trait Outbox[R] {

  /** Whether outputs are sent. Otherwise they wait until `flush` confirms that the consumer has them. */
  def sends: Boolean

  /** Number of outputs. */
  def size: Int

  /** Whether the consumer has all outputs without `flush`. */
  final def isSent: Boolean = sends && size == 0

  def add(outputs: Seq[R]): Unit

  /** Prepares new outputs for the consumer. If it throws, the next call prepares the same outputs again. */
  def show(): Unit

  /** All outputs that can be shown one by one, in firing order. */
  def shown: Seq[R]

  /** Sends outputs in order until the consumer rejects one.
    *
    * @return
    *   whether the operator accepts messages
    */
  def release(): Boolean

  /** Drops all outputs. */
  def clear(): Unit

  /** The outputs as a part of a checkpoint.
    *
    * @throws windrow.CheckpointError
    *   if there are outputs that cannot be a part of it
    */
  def image(): Array[Byte]

  /** Adds the outputs of a checkpoint to an empty outbox. */
  def restore(image: Array[Byte]): Unit
}

/** The outbox of Scala's operators. `beforeSend` sees each output once; then it waits in firing order. */
private[operators] final class QueueOutbox[R](
    name: String,
    beforeSend: R => Option[R],
    send: Option[R => Boolean],
    maxWaiting: Option[Int])
    extends Outbox[R] {
  private var unshown = Queue.empty[R]
  private var waiting = Queue.empty[R]

  def sends: Boolean = send.isDefined
  def size: Int      = unshown.size + waiting.size

  def add(outputs: Seq[R]): Unit = unshown ++= outputs

  def show(): Unit = while (unshown.nonEmpty) {
    waiting ++= beforeSend(unshown.head)
    unshown = unshown.tail
  }

  def shown: Seq[R] = {
    show()
    waiting
  }

  def release(): Boolean = {
    show()
    send match {
      case Some(accepts) =>
        while (waiting.nonEmpty && accepts(waiting.head)) waiting = waiting.tail
        waiting.isEmpty
      case None => maxWaiting.forall(waiting.size < _)
    }
  }

  def clear(): Unit = {
    unshown = Queue.empty
    waiting = Queue.empty
  }

  def image(): Array[Byte] = {
    if (shown.nonEmpty) throw new CheckpointError(
      ErrorConditions.message("OUTPUTS_WAIT", "operator" -> name, "count" -> waiting.size))
    Array.emptyByteArray
  }

  def restore(image: Array[Byte]): Unit = ()
}
