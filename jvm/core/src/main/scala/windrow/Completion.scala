package windrow

/** What completes a window (SEMANTICS R7). */
sealed abstract class Completion(override val toString: String)

object Completion {

  /** The watermark has passed its end. */
  case object ByWatermark extends Completion("watermark")

  /** Its key has accepted a message past its end. */
  case object ByFirstMessageBeyond extends Completion("first_message_beyond")

  val All: Seq[Completion] = Seq(ByWatermark, ByFirstMessageBeyond)
}
