package windrow.replay

/** Common sessions of several streams, as the sets of their messages (SEMANTICS R39). */
private[windrow] final class ReferenceJointSessions(gap: Long, lateness: Long) {
  private type Session = Vector[Message]

  /** Open sessions, by the key of the messages that may pair; None if all may. */
  private var open = Map.empty[Option[Scalar], Vector[Session]]

  /** Adds a message. Returns the session that contains it, followed by the sessions that were merged into it. */
  def add(key: Option[Scalar], message: Message): Seq[Session] = {
    val time = message.time.get
    val (touched, apart) =
      open.getOrElse(key, Vector.empty).partition(session => start(session) - gap <= time && time <= end(session))
    val session = touched.flatten :+ message
    open += key -> (apart :+ session)
    session +: touched
  }

  private def start(session: Session): Long = session.map(_.time.get).min
  private def end(session: Session): Long   = session.map(_.time.get).max + gap

  def isTooLate(time: Long, watermark: Option[Long]): Boolean = watermark.exists(_ >= Bounds.plus(time + gap, lateness))

  /** Whether the session of the message accepts no more messages. */
  def isClosed(message: Message, watermark: Option[Long]): Boolean =
    open.values.flatten.find(_.contains(message)).forall(isClosed(_, watermark))

  private def isClosed(session: Session, watermark: Option[Long]): Boolean =
    watermark.exists(_ >= Bounds.plus(end(session), lateness))

  def forget(watermark: Option[Long]): Unit =
    open = open.view.mapValues(_.filterNot(isClosed(_, watermark))).toMap
}
