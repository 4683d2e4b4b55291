package windrow.replay

import windrow.{Reason, Timing}

/** One input message.
  *
  * @param key
  *   may be the null key
  * @param time
  *   event time in microseconds, None: null
  * @param value
  *   a number or a text
  * @param gap
  *   the session gap that the message brings, in microseconds
  * @param stream
  *   of an operator with several inputs
  * @param pane
  *   of inherited windows: the message is a pane of another operator
  * @param marker
  *   of windows by punctuation: the message is the last one of its window
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

  /** What makes a replay of it recognisable (SEMANTICS R13). */
  def identity: Option[(Option[String], Int, Long)] =
    for (partition <- partition; offset <- offset) yield (stream, partition, offset)

  def rejected(reason: Reason): RejectedMessage = RejectedMessage(key, time, value, reason, stream)
}

object Message {

  /** The order in which the messages of one step are applied on the axis of time (SEMANTICS T). */
  val Order: Ordering[Message] =
    Ordering.by(m => (m.time, m.stream, m.partition, m.offset, (m.key, m.value, m.gap, m.pane)))

  /** The same for windows on positions and by policies. */
  val ByPosition: Ordering[Message] =
    Ordering.by(m => (m.stream, m.partition, m.offset, m.time, (m.key, m.value, m.gap, m.marker)))
}

/** What a message says of itself as a pane, `[start, end)` in microseconds. */
final case class UpstreamPane(start: Long, end: Long, timing: Timing, isRetraction: Boolean)

object UpstreamPane {
  implicit val order: Ordering[UpstreamPane] =
    Ordering.by(pane => (pane.start, pane.end, pane.timing.code, pane.isRetraction))
}

/** @param stream
  *   of an operator with several inputs
  */
final case class RejectedMessage(
    key: Scalar,
    time: Option[Long],
    value: Scalar,
    reason: Reason,
    stream: Option[String] = None)
