package windrow.core.time

/** The dimension on which windows and positions are defined. */
sealed trait Axis

object Axis {

  /** Event time, in microseconds since the epoch. */
  case object Time extends Axis

  /** The offsets of a source partition. */
  case object Offset extends Axis

  /** The sequence numbers of a key's messages. Only a type, because no query uses it. */
  sealed trait Sequence extends Axis

  type Time   = Time.type
  type Offset = Offset.type
}
