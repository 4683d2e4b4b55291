package windrow.replay

import windrow.Session

/** Sessions that more than a gap ends (SEMANTICS W9). Transcripts support `endsWith = "marker"`, and `split` by
  * `"value"` and `"value > 0"`.
  */
private[windrow] final class ReferenceCuts(kind: Session) extends ReferenceWindows {
  private val sessions = new ReferenceWindows.Sessions(kind.gap.map(_.micros))

  def own(message: Message, sequence: Long): Seq[Bounds] = sessions.own(message, sequence)

  private def reach(one: Held): Long = own(one.message, one.sequence).head.end

  /** Forms sessions from the first row on. Rows of the same time stay together. */
  private def formed(held: Seq[Held]): Seq[Seq[Held]] =
    held.groupBy(_.time).toSeq.sortBy(_._1).map(_._2).foldLeft(Vector.empty[Vector[Held]]) {
      case (earlier :+ session, next) if continues(session, next) => earlier :+ (session ++ next)
      case (earlier, next)                                        => earlier :+ next.toVector
    }

  private def last(session: Seq[Held]): Seq[Held] = session.filter(_.time == session.map(_.time).max)

  private def continues(session: Seq[Held], next: Seq[Held]): Boolean = {
    val time = next.head.time
    !ends(session) && time <= session.map(reach).max &&
    kind.maxLength.forall(length => time - session.map(_.time).min < length.micros) &&
    values(last(session)) == values(next)
  }

  private def ends(session: Seq[Held]): Boolean =
    kind.endsWith.isDefined && last(session).exists(one => ReferenceCuts.ends(kind, one.message))

  private def values(rows: Seq[Held]): Set[Seq[Scalar]] = rows.map(one => ReferenceCuts.values(kind, one.message)).toSet

  def all(held: Seq[Held]): Seq[Bounds] = {
    val sessions = formed(held)
    sessions.zip(sessions.drop(1).map(next => Some(next.head.time)) :+ None).map { case (session, next) =>
      val start = session.map(_.time).min
      val end =
        if (ends(session)) session.map(_.time).max + 1
        else
          (Seq(session.map(reach).max) ++ kind.maxLength.map(length => Bounds.plus(start, length.micros)) ++ next).min
      Bounds(start, end)
    }
  }

  def contents(window: Bounds, held: Seq[Held]): Seq[Held] = sessions.contents(window, held)

  /** The end before which rows are rejected once a session has closed, and the end from which on that is forgotten; None
    * if only the gap ended it.
    */
  def settled(window: Bounds, held: Seq[Held]): Option[(Long, Long)] = {
    val rows = contents(window, held)
    Option.when(window.end < rows.map(reach).max)(
      (window.end, Bounds.plus(window.end, rows.map(one => reach(one) - one.time).max)))
  }
}

private[windrow] object ReferenceCuts {
  def ends(kind: Session, message: Message): Boolean = kind.endsWith.exists {
    case "marker" => message.marker
    case other    => throw new IllegalArgumentException(s"transcripts do not support endsWith='$other'")
  }

  def values(kind: Session, message: Message): Seq[Scalar] = kind.split.map {
    case "value" => message.value
    case "value > 0" => message.value match {
        case Value.Whole(number) => Scalar(if (number > 0) 1L else 0L)
        case _                   => Value.Null
      }
    case other => throw new IllegalArgumentException(s"transcripts do not support split='$other'")
  }
}
