package windrow.core.trigger

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.time.Due

/** The earliest processing time, in microseconds, at which a window of a shard is to be looked at because its period ends, though
  * nothing comes. In the checkpoint; found anew from all windows once it is due.
  */
private[core] final class ProcessingTimer(policy: WindowTrigger) {
  private var earliest = Option.empty[Long]

  def next: Option[Long] = earliest

  def isReached(now: Option[Long]): Boolean = earliest.zip(now).exists { case (due, at) => at >= due }

  /** A window that has this to send. Messages from before any processing time wait for the first. */
  def add(isComplete: Boolean, paneState: PaneState[_]): Unit =
    if (policy.hasPeriods && paneState.unsent > 0) {
      val due = if (paneState.since.isEmpty) Some(Due.AtOnce) else policy.deadline(isComplete, paneState.since)
      earliest = (earliest ++ due).minOption
    }

  def clear(): Unit = earliest = None

  def read(in: ByteReader): Unit = earliest = Option.when(in.byte() == 1)(in.long())

  def write(out: ByteWriter): Unit = {
    out.byte(if (earliest.isDefined) 1 else 0)
    earliest.foreach(out.long)
  }
}
