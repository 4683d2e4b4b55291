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

  /** @param groups
    *   that a message completes
    */
  def rows(groups: Vector[Vector[StoredMessage]]): Vector[JoinRow] = how match {
    case Anti => Vector.empty
    case Semi => groups.map(_.head).distinct.filterNot(_.isSettled).map(first => JoinRow(Vector(Some(first))))
    case _    => groups.map(group => JoinRow(group.map(Some(_))))
  }

  def unmatched(stream: Int, message: StoredMessage): JoinRow =
    if (how == Anti) JoinRow(Vector(Some(message)))
    else JoinRow(Vector.tabulate(2)(side => Option.when(side == stream)(message)))
}
