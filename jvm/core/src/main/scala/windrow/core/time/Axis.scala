package windrow.core.time

/** What windows stand on, and what a position is a place of. */
sealed trait Axis

object Axis {

  /** Event time, in microseconds since the epoch. */
  case object Time extends Axis

  /** The offsets of a source partition. */
  case object Offset extends Axis

  /** The sequence numbers of a key's messages. Nothing is asked by them, so it is a type alone. */
  sealed trait Sequence extends Axis

  type Time   = Time.type
  type Offset = Offset.type
}
