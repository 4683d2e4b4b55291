package windrow.core.policy

/** The window of one key. Times are processing time in microseconds.
  *
  * @param held
  *   the messages in the window; mutable
  * @param first
  *   value of the first message ever that had one; NaN if none did
  * @param mark
  *   value at the last TRIGGER by delta; NaN if no message had one
  * @param inserted
  *   number of messages ever inserted
  * @param isFull
  *   whether INITIAL_FULL was raised
  * @param checked
  *   when a TRIGGER by time was last due or checked
  * @param tumbled
  *   when it last tumbled by time, or was created
  * @param touched
  *   when its last message arrived
  * @param turn
  *   sequence number of its last message among those of all partitions
  * @param panes
  *   number of panes fired so far, which is the number of the window
  * @param events
  *   number of events raised so far
  * @param state
  *   states of its listeners (SEMANTICS R61)
  */
private[policy] final case class Partition[B](
    held: HeldMessages[B],
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

  /** A missing value counts as the previous one, or as the first one if there was none before (SEMANTICS R89). */
  def counted(value: Double): Double = if (value.isNaN) held.newest.fold(value)(valueOf) else value

  def valueOf(message: HeldMessage[B]): Double = if (message.value.isNaN) first else message.value

  /** Sets the first values; messages before them count as having them. */
  def measuredFrom(value: Double, marked: Double): Partition[B] = {
    val begun = if (first.isNaN) copy(first = value) else this
    if (mark.isNaN) begun.copy(mark = marked) else begun
  }

  /** Sets the times of everything that happened before the first processing time was known (SEMANTICS R14). */
  def begunAt(now: Long): Partition[B] = {
    def at(time: Long) = if (time == HeldMessage.NoTime) now else time
    held.begin(now)
    copy(
      created = at(created),
      checked = at(checked),
      tumbled = at(tumbled),
      touched = at(touched))
  }
}

private[policy] object Partition {

  /** A partition before its first message.
    *
    * @param value
    *   first message's value of the eviction column
    * @param mark
    *   first message's value of the trigger column
    */
  def created[B](held: HeldMessages[B], value: Double, mark: Double, now: Long): Partition[B] =
    Partition(held, now, value, mark, 0, isFull = false, now, now, now, 0, 0)
}

/** Events of a window, in the order in which listeners receive them. */
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
  *   those inserted (INSERTION) or evicted (EVICTION); otherwise the contents of the window
  */
final case class WindowEvent[M](kind: EventKind, messages: Vector[M])
