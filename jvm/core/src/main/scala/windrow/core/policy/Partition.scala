package windrow.core.policy

import windrow.core.time.EventTime

/** The window of one key; times are processing time in microseconds.
  *
  * @param held
  *   changed in place
  * @param first
  *   value of the first message ever; NaN: none has been a number
  * @param mark
  *   value at the last TRIGGER by delta; NaN: none has been a number
  * @param inserted
  *   messages ever
  * @param isFull
  *   INITIAL_FULL was raised
  * @param checked
  *   when a TRIGGER by time was last due or looked for
  * @param tumbled
  *   when it last tumbled by time, or was created
  * @param touched
  *   when its last message came
  * @param turn
  *   of its last message among those of all partitions
  * @param panes
  *   fired so far: the number of the window
  * @param events
  *   raised so far
  * @param state
  *   what listeners keep beside it (SEMANTICS R61)
  */
private[policy] final case class Partition[B](
    held: Held[B],
    created: Long,
    first: Double,
    mark: Double,
    inserted: Long,
    isFull: Boolean,
    checked: Long,
    tumbled: Long,
    touched: Long,
    turn: Long,
    panes: Long,
    events: Long = 0,
    state: Vector[Array[Byte]] = Vector.empty) {

  /** A value that is none counts as the one before it, and before the first value as that (SEMANTICS R89). */
  def counted(value: Double): Double = if (value.isNaN) held.newest.fold(value)(valueOf) else value

  def valueOf(message: HeldMessage[B]): Double = if (message.value.isNaN) first else message.value

  /** Messages before the first value count as having it. */
  def measuredFrom(value: Double, marked: Double): Partition[B] = {
    val begun = if (first.isNaN) copy(first = value) else this
    if (mark.isNaN) begun.copy(mark = marked) else begun
  }

  /** What happened before any processing time counts as if it had happened at the first (SEMANTICS R14). */
  def begunAt(now: Long): Partition[B] = {
    def at(time: Long) = if (time == Partition.NoTime) now else time
    held.begin(now)
    copy(
      created = at(created),
      checked = at(checked),
      tumbled = at(tumbled),
      touched = at(touched))
  }
}

private[policy] object Partition {

  /** No processing time has been seen. */
  val NoTime: Long = EventTime.Min

  /** Before its first message, which has these values of the columns of eviction and trigger. */
  def created[B](held: Held[B], value: Double, mark: Double, now: Long): Partition[B] =
    Partition(held, now, value, mark, 0, isFull = false, now, now, now, 0, 0)
}

/** What happens to a window, in the order in which listeners hear of it. */
sealed abstract class EventKind(override val toString: String)

object EventKind {
  case object Insertion         extends EventKind("INSERTION")
  case object Eviction          extends EventKind("EVICTION")
  case object Trigger           extends EventKind("TRIGGER")
  case object InitialFull       extends EventKind("INITIAL_FULL")
  case object Final             extends EventKind("FINAL")
  case object PartitionEviction extends EventKind("PARTITION_EVICTION")

  val All: Seq[EventKind] = Seq(Insertion, Eviction, Trigger, InitialFull, Final, PartitionEviction)
}

/** @param messages
  *   that came (INSERTION), that leave (EVICTION), or all that are inside
  */
final case class WindowEvent[M](kind: EventKind, messages: Vector[M])
