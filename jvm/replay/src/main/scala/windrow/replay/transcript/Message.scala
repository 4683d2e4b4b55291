package windrow.replay

import windrow.{Reason, Timing}

/** One input message.
  *
  * @param key
  *   may be the null key
  * @param time
  *   event time in microseconds, or None for null
  * @param value
  *   a number or a text
  * @param gap
  *   the session gap of the message, in microseconds
  * @param stream
  *   the stream, for an operator with several inputs
  * @param pane
  *   for inherited windows: the pane of another operator that the message is
  * @param marker
  *   for windows by punctuation and sessions: whether the message is the last one of its window
  */
final case class Message(
    key: Scalar,
    time: Option[Long],
    value: Scalar,
    partition: Option[Int] = None,
    offset: Option[Long] = None,
    gap: Option[Long] = None,
    stream: Option[String] = None,
    pane: Option[UpstreamPane] = None,
    marker: Boolean = false) {

  /** The identity by which a replay of the message is recognized (SEMANTICS R13). */
  def identity: Option[(Option[String], Int, Long)] =
    for (partition <- partition; offset <- offset) yield (stream, partition, offset)

  def rejected(reason: Reason): RejectedMessage = RejectedMessage(key, time, value, reason, stream)
}

object Message {

  /** The order in which the messages of one step are applied on the axis of time (SEMANTICS T). */
  val Order: Ordering[Message] =
    Ordering.by(m => (m.time, m.stream, m.partition, m.offset, (m.key, m.value, m.gap, m.pane, m.marker)))

  /** The same for windows on positions and by policies. */
  val ByPosition: Ordering[Message] =
    Ordering.by(m => (m.stream, m.partition, m.offset, m.time, (m.key, m.value, m.gap, m.marker)))
}

/** The properties of a message that is a pane, `[start, end)` in microseconds. */
final case class UpstreamPane(start: Long, end: Long, timing: Timing, isRetraction: Boolean)

object UpstreamPane {
  implicit val order: Ordering[UpstreamPane] =
    Ordering.by(pane => (pane.start, pane.end, pane.timing.code, pane.isRetraction))
}

/** @param stream
  *   the stream, for an operator with several inputs
  */
final case class RejectedMessage(
    key: Scalar,
    time: Option[Long],
    value: Scalar,
    reason: Reason,
    stream: Option[String] = None)
