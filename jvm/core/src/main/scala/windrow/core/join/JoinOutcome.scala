package windrow.core.join

import windrow.JoinKind
import windrow.JoinKind._
import windrow.core.store.StoredMessage

/** Decides which rows a kind of join emits for pairs and for unmatched messages. */
private[join] final class JoinOutcome(how: JoinKind) {

  /** Whether a message of this stream is emitted alone when it can no longer have a partner. */
  def emitsUnmatched(stream: Int): Boolean = how match {
    case Left | Anti  => stream == 0
    case Right        => stream == 1
    case Full         => true
    case Inner | Semi => false
  }

  /** Whether it matters if a message of this stream was matched before. */
  def settles(stream: Int): Boolean = emitsUnmatched(stream) || (how == Semi && stream == 0)

  /** For this stream only the existence of a partner matters, not the number. */
  def needsOne(stream: Int): Boolean = how.isOfFirst && stream == 0

  /** Makes the row of each group that a message completes. Groups with the same message of the first stream must be
    * passed consecutively, with messages in the state before the group was found.
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
