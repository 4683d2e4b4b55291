package windrow.core.store

import windrow.core.operator.{Counters, OperatorShard, Part, Step}
import windrow.core.state.StatePart
import windrow.core.time.Watermark
import windrow.{Guard, Guards, SourcePartition}

/** The code that the shards of all operators share: it opens the state, runs a step, counts its output, and writes the
  * state. An operator adds its work for a message and for the end of a step.
  *
  * @param shown
  *   the operator in the errors of guards
  */
private[core] abstract class ShardFrame[E](
    protected final val admission: Admission,
    guards: Guards,
    shown: => String) extends OperatorShard {

  /** The parts of the state, in the order of their directories in the header. */
  protected def parts: Seq[StatePart]

  /** Counts an effect when it is emitted. */
  protected def count(effect: E): Unit

  /** Whether a message of this source with this place in time is rejected from now on. */
  protected def isPast(source: String, place: Long): Boolean

  /** Computes the number of open windows from the number when the shard was opened; None if it is unknown. */
  protected def openCount(before: Option[Long]): Option[Long] = None

  /** The number of panes before the current step. */
  private var panesBefore = 0L

  def counters: Counters                      = admission.counters
  def watermark: Watermark                    = admission.watermark
  def nextOffsets: Map[SourcePartition, Long] = admission.nextOffsets

  def startAt(first: Watermark): Unit = admission.watermark = admission.watermark.max(first)

  /** Reads the directories of the parts if the state exists. The constructor of the operator calls it. */
  protected final def open(): Unit = admission.open(in => parts.foreach(_.readDirectory(in)))

  /** Runs the parts of a step while its effects are consumed, then writes the state. */
  protected final def stepOf(work: Iterator[Part[E]]): Iterator[E] = {
    panesBefore = counters.panes
    new Step(work ++ Part.silent(write()), count)
  }

  protected final def countPane(isOnTime: Boolean): Unit = {
    counters.panes += 1
    if (isOnTime) admission.lateness.windows += 1
    guards.check(Guard.PendingOutput, counters.panes - panesBefore, s"a step of $shown")
  }

  protected final def checkKeys(keys: Long): Unit = guards.check(Guard.KeysPerShard, keys, s"the state of $shown")

  /** Writes the changes of the parts, then the header. */
  protected final def write(): Unit = {
    parts.foreach(_.flush())
    admission.recordOpenWindows(openCount)
    admission.write(isPast)(out => parts.foreach(_.writeDirectory(out)))
  }
}
