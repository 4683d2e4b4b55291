package windrow

import scala.util.control.NoStackTrace

/** What becomes of messages that would be rejected for what they say of themselves (SEMANTICS A7). */
sealed abstract class InvalidMessages(override val toString: String)

object InvalidMessages {

  /** They are handed back as rejected ones are. */
  case object Reject extends InvalidMessages("reject")

  /** The first one ends the query. */
  case object Fail extends InvalidMessages("fail")

  val All: Seq[InvalidMessages] = Seq(Reject, Fail)
}

/** A message that ends a query. Where it stands in the input is all there is to know, so Java's frames are left out. */
final class MessageError(message: String) extends IllegalArgumentException(message) with NoStackTrace
