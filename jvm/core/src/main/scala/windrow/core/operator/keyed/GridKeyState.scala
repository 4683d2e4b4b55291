package windrow.core.operator
package keyed

import java.util.{TreeMap => JTreeMap}
import windrow.core.aggregate.{Aggregation, CellCodec, KeyRun, OwnedCodec, ShownRun}
import windrow.core.state._
import windrow.core.time.{Axis, Due}
import windrow.core.trigger.{PaneState, PaneStateCodec}

/** The messages of a key by slice, and the records of its windows by their first positions.
  *
  * @param shown
  *   values that windows without a record showed on time, by their first positions, if these must be stored
  * @param next
  *   for count windows, the sequence number of the next message
  * @param ended
  *   for count windows, `next` at the end of the last step
  * @param deadline
  *   the position at which one of its windows completes or closes
  */
private[core] final class GridKeyState[A <: Axis, B](
    val run: KeyRun[B],
    val records: JTreeMap[Long, PaneState[B]],
    val shown: ShownRun[B],
    var next: Long = 0,
    var ended: Long = 0,
    var deadline: Long = Due.Never) {

  /** The windows completed by the key's own messages, for windows that complete this way. */
  val completion = new KeyCompletion[A]

  /** Whether no window is open, and no window that may still open is complete. */
  def isEmpty: Boolean = run.isEmpty && !completion.reached.isDefined

  def clear(): Unit = {
    run.clear()
    records.clear()
    shown.clear()
    completion.clear()
  }

  /** Whether a message has arrived in this step. */
  def isChanged: Boolean = deadline == Due.AtOnce
  def change(): Unit     = deadline = Due.AtOnce
}

/** Writes and reads the state of a key. */
private[core] final class GridKeyStateCodec[A <: Axis, B](aggregation: Aggregation[B, _], segments: Segments)
    extends Codec[GridKeyState[A, B]] {
  private val cells      = new CellCodec(new OwnedCodec(aggregation))
  private val paneStates = new PaneStateCodec(aggregation)
  private val leaves     = aggregation.storage.map(storage => storage.release(_: B))

  def empty: GridKeyState[A, B] =
    new GridKeyState(
      new KeyRun(aggregation, cells, segments, leaves = leaves),
      new JTreeMap,
      new ShownRun(aggregation, segments))

  def write(keyState: GridKeyState[A, B], out: ByteWriter): Unit = {
    out.count(keyState.next)
    out.count(keyState.ended)
    out.long(keyState.deadline)
    keyState.completion.write(out)
    keyState.shown.write(out)
    out.count(keyState.records.size.toLong)
    keyState.records.forEach { (first, paneState) =>
      out.long(first)
      paneStates.write(paneState, out)
    }
    keyState.run.write(out)
  }

  def read(in: ByteReader): GridKeyState[A, B] = {
    val keyState = empty
    keyState.next = in.count()
    keyState.ended = in.count()
    keyState.deadline = in.long()
    keyState.completion.read(in)
    keyState.shown.read(in)
    (0 until in.size()).foreach(_ => keyState.records.put(in.long(), paneStates.read(in)))
    keyState.run.read(in)
    keyState
  }
}
