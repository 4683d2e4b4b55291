package windrow.core.operator

import windrow.core.state.Key

/** Where a message comes from: its identity, by which a replay is known. */
final case class Origin(source: String, partition: Long, offset: Long)

/** A message, or several of one key that no window tells apart, on the way into a shard.
  *
  * @param time
  *   event time in microseconds; None if the message has none
  * @param gap
  *   session gap in microseconds; 0 for other windows
  * @param count
  *   how many messages these are
  * @param buffer
  *   the messages, lifted
  * @param raw
  *   the original row, handed back if the message is refused; null where that cannot be
  */
final case class Entry[B](
    key: Key,
    time: Option[Long],
    gap: Long,
    count: Long,
    buffer: B,
    raw: Array[Byte],
    origin: Option[Origin])
