package windrow.core.operator
package run

import java.util.{HashMap => JHashMap}
import windrow.core.aggregate.{Aggregation, CellCodec, KeyRun, ShownRun}
import windrow.core.operator.keyed.KeyCompletion
import windrow.core.state._
import windrow.core.time.{Axis, Due}
import windrow.core.trigger.{PaneState, PaneStateCodec}

/** The record of a window that has fired anything other than a single on-time pane.
  *
  * @param end
  *   exclusive
  * @param start
  *   start in the last pane
  * @param stamp
  *   stamp of the last cell accepted before its last pane
  */
private[core] final case class RunRecord[B](start: Long, end: Long, stamp: Long, paneState: PaneState[B])

/** The messages of a key and the records of its windows.
  *
  * @param shown
  *   values that windows without a record showed on time, by their ends, if these must be stored
  * @param deadline
  *   the watermark at which one of its windows completes or closes, or a message is removed
  */
private[core] final class RunKeyState[B](
    val run: KeyRun[B],
    val records: JHashMap[Long, RunRecord[B]],
    val shown: ShownRun[B],
    var accepted: Long,
    var deadline: Long) {

  /** The windows completed by the key's own messages, for windows that complete this way. */
  val completion = new KeyCompletion[Axis.Time]

  def nextStamp(): Long = { accepted += 1; accepted }
}

private[core] final class RunKeyStateCodec[B](aggregation: Aggregation[B, _], segments: Segments)
    extends Codec[RunKeyState[B]] {
  private val cells      = new CellCodec(aggregation)
  private val paneStates = new PaneStateCodec(aggregation)

  def empty: RunKeyState[B] = new RunKeyState(
    new KeyRun(aggregation, cells, segments),
    new JHashMap,
    new ShownRun(aggregation, segments),
    0,
    Due.Never)

  def write(keyState: RunKeyState[B], out: ByteWriter): Unit = {
    out.count(keyState.accepted)
    out.long(keyState.deadline)
    keyState.completion.write(out)
    keyState.shown.write(out)
    out.count(keyState.records.size.toLong)
    keyState.records.forEach { (id, record) =>
      out.long(id)
      out.long(record.start)
      out.long(record.end)
      out.count(record.stamp)
      paneStates.write(record.paneState, out)
    }
    keyState.run.write(out)
  }

  private def readRecord(in: ByteReader): RunRecord[B] =
    RunRecord(in.long(), in.long(), in.count(), paneStates.read(in))

  def read(in: ByteReader): RunKeyState[B] = {
    val keyState = empty
    keyState.accepted = in.count()
    keyState.deadline = in.long()
    keyState.completion.read(in)
    keyState.shown.read(in)
    (0 until in.size()).foreach(_ => keyState.records.put(in.long(), readRecord(in)))
    keyState.run.read(in)
    keyState
  }
}
