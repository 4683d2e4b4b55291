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

  /** @param groups
    *   that a message completes, those of one message of the first stream together; each as it was before it was found
    */
  def rows(groups: Iterator[Vector[StoredMessage]]): Iterator[JoinRow] = how match {
    case Anti => groups.filter(_ => false).map(_ => JoinRow(Vector.empty))
    case Semi => firsts(groups).filterNot(_.isSettled).map(first => JoinRow(Vector(Some(first))))
    case _    => groups.map(group => JoinRow(group.map(Some(_))))
  }

  private def firsts(groups: Iterator[Vector[StoredMessage]]): Iterator[StoredMessage] = {
    var last: StoredMessage = null
    groups.map(_.head).filter { first =>
      val isNew = first ne last
      last = first
      isNew
    }
  }

  def unmatched(stream: Int, message: StoredMessage): JoinRow =
    if (how == Anti) JoinRow(Vector(Some(message)))
    else JoinRow(Vector.tabulate(2)(side => Option.when(side == stream)(message)))
}
