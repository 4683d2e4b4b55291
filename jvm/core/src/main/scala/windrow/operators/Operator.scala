package windrow.operators

import windrow.ErrorConditions

/** Something that takes messages of named streams (the source's name). */
trait Operator[M] extends AutoCloseable {

  /** Opens the state. Nothing else may be called before. */
  def init(): Unit

  /** Applies a message of a stream and all that follows from it.
    *
    * @throws windrow.operators.BackpressureError
    *   if what came before still waits for a downstream that refuses it
    */
  def process(stream: String, message: M): Unit

  /** Time goes on without a message.
    *
    * @param processingTime
    *   in microseconds
    * @param watermark
    *   in microseconds; None: unchanged
    */
  def refresh(processingTime: Long, watermark: Option[Long] = None): Unit

  /** Finishes what is pending and sends what waits; false: the downstream does not take all of it. */
  def drain(): Boolean

  /** All that it knows, as bytes. To be drained before. */
  def checkpoint(): Array[Byte]

  /** Forgets everything without an event. */
  def reset(): Unit

  /** Forgets everything without an event and goes on from a checkpoint of the same operator. */
  def reset(checkpoint: Array[Byte]): Unit
}

/** The downstream, or the queue of outputs, is full. */
final class BackpressureError(name: String, waiting: Int) extends IllegalStateException(
      ErrorConditions.message("DOWNSTREAM_FULL", "name" -> name, "waiting" -> waiting))

/** Code of the user around an operator; one object can serve several (SEMANTICS R41).
  *
  * @param beforeProcess
  *   sees each message before any check and may replace it; None withholds it, counted as filtered
  * @param beforeSend
  *   sees each output before it is handed out and may replace it; None withholds it
  */
final case class Hooks[M, R](beforeProcess: M => Option[M], beforeSend: R => Option[R])

object Hooks {
  def none[M, R]: Hooks[M, R] = Hooks(Some(_), Some(_))
}

/** A message that was refused, and why. */
final case class Rejected[M](message: M, reason: windrow.Reason)
