package windrow

import scala.util.control.NoStackTrace

/** The treatment of messages that would be rejected because of their own contents (SEMANTICS A7). */
sealed abstract class InvalidMessages(override val toString: String)

object InvalidMessages {

  /** They are returned like other rejected messages. */
  case object Reject extends InvalidMessages("reject")

  /** The first one ends the query with an error. */
  case object Fail extends InvalidMessages("fail")

  val All: Seq[InvalidMessages] = Seq(Reject, Fail)
}

/** A message that ends a query. It has no stack trace, because only its place in the input matters. */
final class MessageError(message: String) extends IllegalArgumentException(message) with NoStackTrace
