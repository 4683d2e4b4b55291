package windrow.operators

import windrow.core.operator.{IncomingPane, Origin, SessionMark}
import windrow.core.state.{ByteReader, ByteWriter, Codec, Key}
import windrow.core.store.Incoming

/** Describes a user's messages to an operator: their key, time and bytes. Inside operators messages are bytes
  * ([[windrow.core.store.Incoming]]); engines whose rows are bytes already run the shards directly and need no format.
  *
  * @tparam K
  *   key: the grouping of a window operator, or the equality fields of a join
  * @tparam M
  *   message
  */
trait MessageFormat[K, M] {
  def key(message: M): K

  /** Event time in microseconds since the epoch. None is rejected as INVALID_TIME. */
  def time(message: M): Option[Long]

  /** Source, partition and offset; without them duplicates are not recognized. In a join the source is the stream's
    * name.
    */
  def origin(message: M): Option[Origin] = None

  /** The value of this message for its windows: the gap in microseconds, for sessions with a gap for each message. */
  def value(message: M): Option[Long] = None

  /** The message as a pane of another operator, for inherited windows (SEMANTICS R55). */
  def pane(message: M): Option[IncomingPane] = None

  /** How the message affects its session, if sessions can end by more than a gap (SEMANTICS W9). */
  def mark(message: M): Option[SessionMark] = None

  /** Whether an equality field is null, in which case a join matches the message with nothing. */
  def hasNull(key: K): Boolean = key == null

  /** Codec of keys. Equal keys must have equal bytes. */
  def keys: Codec[K]

  def messages: Codec[M]
}

/** Converts between a user's keys and messages and their bytes. */
private[operators] final class Formatter[K, M](format: MessageFormat[K, M]) {
  def incoming(message: M): Incoming = Incoming(
    key(format.key(message)),
    format.time(message),
    format.origin(message),
    bytes(message, format.messages),
    format.value(message))

  def pane(message: M): Option[IncomingPane] = format.pane(message)
  def mark(message: M): Option[SessionMark]  = format.mark(message)

  def key(key: K): Key               = new Key(bytes(key, format.keys))
  def key(bytes: Key): K             = format.keys.read(ByteReader(bytes.bytes))
  def message(bytes: Array[Byte]): M = format.messages.read(ByteReader(bytes))

  private def bytes[T](value: T, codec: Codec[T]): Array[Byte] = {
    val out = new ByteWriter
    codec.write(value, out)
    out.result()
  }
}
