package windrow.operators

import windrow.ErrorConditions

/** An operator that receives messages of named streams and is driven by explicit calls, outside Spark. */
trait Operator[M] extends AutoCloseable {

  /** Opens the state. Must be the first call. */
  def init(): Unit

  /** Applies a message of a stream and all of its consequences.
    *
    * @throws windrow.operators.BackpressureError
    *   if earlier outputs still wait because the downstream rejects them
    */
  def process(stream: String, message: M): Unit

  /** Advances time without a message.
    *
    * @param processingTime
    *   in microseconds
    * @param watermark
    *   in microseconds; None leaves it unchanged
    */
  def refresh(processingTime: Long, watermark: Option[Long] = None): Unit

  /** Finishes pending work and sends waiting outputs; returns false if the downstream does not accept all of them. */
  def drain(): Boolean

  /** The complete state as bytes. Call `drain` first. */
  def checkpoint(): Array[Byte]

  /** Discards the state without emitting anything. */
  def reset(): Unit

  /** Discards the state without emitting anything and continues from a checkpoint of the same operator. */
  def reset(checkpoint: Array[Byte]): Unit
}

/** The downstream, or the queue of outputs, is full. */
final class BackpressureError(name: String, waiting: Int) extends IllegalStateException(
      ErrorConditions.message("DOWNSTREAM_FULL", "name" -> name, "waiting" -> waiting))

/** User code around an operator. One object can serve several operators (SEMANTICS R41).
  *
  * @param beforeProcess
  *   receives each message before any check and returns it, a replacement, or None to withhold it; withheld messages
  *   are counted as filtered
  * @param beforeSend
  *   receives each output before it is sent and returns it, a replacement, or None to withhold it
  */
final case class Hooks[M, R](beforeProcess: M => Option[M], beforeSend: R => Option[R])

object Hooks {
  def none[M, R]: Hooks[M, R] = Hooks(Some(_), Some(_))
}

/** A rejected message with the reason.
  *
  * @param watermark
  *   the watermark by which it was judged, in microseconds; None before the first one and at the end of the input
  *   (SEMANTICS R71)
  * @param processingTime
  *   the processing time of its step, in microseconds; None before the first one
  */
final case class Rejected[M](
    message: M,
    reason: windrow.Reason,
    watermark: Option[Long] = None,
    processingTime: Option[Long] = None)
