package windrow.operators

import windrow.TimeSpan
import windrow.core.operator.IncomingPane
import windrow.core.operator.Origin
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.state.Key
import windrow.core.store.Incoming

/** What an operator has to know of a user's messages. Inside they are bytes ([[windrow.core.store.Incoming]]): engines
  * that have their rows as bytes drive the shards themselves and need no format.
  *
  * @tparam K
  *   key; the grouping of a window operator, the equality fields of a join
  * @tparam M
  *   message
  */
trait MessageFormat[K, M] {
  def key(message: M): K

  /** Event time in microseconds since the epoch; None is rejected as INVALID_TIME. */
  def time(message: M): Option[Long]

  /** Where it comes from; without it duplicates are not known. In a join the source is the name of the stream. */
  def origin(message: M): Option[Origin] = None

  /** For sessions that ask each message. */
  def gap(message: M): Option[TimeSpan] = None

  /** For inherited windows: the message as a pane of another operator (SEMANTICS R55). */
  def pane(message: M): Option[IncomingPane] = None

  /** Some equality field is null: in a join it matches nothing. */
  def hasNull(key: K): Boolean = key == null

  /** Equal keys must give equal bytes. */
  def keys: Codec[K]

  def messages: Codec[M]
}

private[operators] final class Formatter[K, M](format: MessageFormat[K, M]) {
  def incoming(message: M): Incoming = Incoming(
    key(format.key(message)),
    format.time(message),
    format.origin(message),
    bytes(message, format.messages),
    format.gap(message).map(_.micros))

  def pane(message: M): Option[IncomingPane] = format.pane(message)

  def key(key: K): Key               = new Key(bytes(key, format.keys))
  def key(bytes: Key): K             = format.keys.read(ByteReader(bytes.bytes))
  def message(bytes: Array[Byte]): M = format.messages.read(ByteReader(bytes))

  private def bytes[T](value: T, codec: Codec[T]): Array[Byte] = {
    val out = new ByteWriter
    codec.write(value, out)
    out.result()
  }
}
