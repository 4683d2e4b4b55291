package windrow.core.join

import windrow.JoinKind
import windrow.JoinKind._
import windrow.core.store.StoredMessage

/** What a kind of join makes of pairs and of messages that stay alone. */
private[join] final class JoinOutcome(how: JoinKind) {

  /** A message of this stream comes out alone when nothing can match it any more. */
  def tellsUnmatched(stream: Int): Boolean = how match {
    case Left | Anti  => stream == 0
    case Right        => stream == 1
    case Full         => true
    case Inner | Semi => false
  }

  /** It shows whether a message of this stream was matched before. */
  def settles(stream: Int): Boolean = tellsUnmatched(stream) || (how == Semi && stream == 0)

  /** Of a message of this stream it only shows that it has a partner, not how many. */
  def needsOne(stream: Int): Boolean = (how == Semi || how == Anti) && stream == 0

  /** The row of each group that a message completes. It is told those of one message of the first stream one after the
    * other; each as it was before it was found.
    */
  def row: IndexedSeq[StoredMessage] => Option[JoinRow] = how match {
    case Anti => _ => None
    case Semi =>
      var last: StoredMessage = null
      group => {
        val isNew = group.head ne last
        last = group.head
        Option.when(isNew && !last.isSettled)(JoinRow(Vector(Some(last))))
      }
    case _ => group => Some(JoinRow(group.map(Some(_))))
  }

  def unmatched(stream: Int, message: StoredMessage): JoinRow =
    if (how == Anti) JoinRow(Vector(Some(message)))
    else JoinRow(Vector.tabulate(2)(side => Option.when(side == stream)(message)))
}
