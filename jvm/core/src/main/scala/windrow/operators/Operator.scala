package windrow.operators

/** Something that takes messages of named streams (the source's name). */
trait Operator[M] extends AutoCloseable {

  /** Opens the state. Nothing else may be called before. */
  def init(): Unit

  /** Applies a message of a stream and all that follows from it.
    *
    * @throws windrow.operators.SelectorDisabledError
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
}

/** The downstream is full: drain with `timeout` before the next message. */
final class SelectorDisabledError(name: String, waiting: Int) extends IllegalStateException(
      s"[SELECTOR_DISABLED] $name holds $waiting outputs that its downstream refused; call timeout(...) until it takes them.")

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
