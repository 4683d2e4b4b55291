package windrow

/** When a window that is complete fires again because of late messages (SEMANTICS E). */
sealed trait PaneTrigger

/** Only once more, when its lateness ends and something is unsent (SEMANTICS R80). */
case object Never extends PaneTrigger

/** One pane for every accepted message and window, in order of application. */
case object EachMessage extends PaneTrigger

/** At most one pane for each window and step. */
case object EachStep extends PaneTrigger

/** One pane after every `messages` unsent messages of a window. */
final case class Every(messages: Long) extends PaneTrigger {
  override def toString: String = s"Every(messages=$messages)"
}
