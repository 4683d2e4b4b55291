package windrow.core.trigger

import windrow.core.state.{ByteReader, ByteWriter, StatePart}
import windrow.core.time.Due

/** The earliest processing time, in microseconds, at which a period of one of the shard's windows ends. Stored in the
  * checkpoint; once it is due, it is recomputed from all windows.
  */
private[core] final class ProcessingTimer(policy: WindowTrigger) extends StatePart {
  import ProcessingTimer._

  private var earliest = Option.empty[Long]

  def next: Option[Long] = earliest

  /** Whether a period has ended. If so, the time is removed, because all windows are about to be checked. */
  def takeReached(now: Option[Long]): Boolean = {
    val isReached = earliest.zip(now).exists { case (due, at) => at >= due }
    if (isReached) earliest = None
    isReached
  }

  /** Adds the deadline of a window with this state. Messages that arrived before the first processing time are due at
    * once.
    */
  def add(isComplete: Boolean, paneState: PaneState[_]): Unit =
    if (policy.hasPeriods && paneState.unsent > 0) {
      val due = if (paneState.since.isEmpty) Some(Due.AtOnce) else policy.deadline(isComplete, paneState.since)
      earliest = (earliest ++ due).minOption
    }

  /** Reads the stored time. A timer computed with other periods may fire too late, so all windows are checked again
    * (SEMANTICS R14).
    */
  def readDirectory(in: ByteReader): Unit = {
    val form  = in.byte()
    val found = Option.when((form & HasEarliest) != 0)(in.long())
    val were  = Option.when((form & HasPeriods) != 0)(policy.periods.map(_ => Seq.fill(in.size())(in.long())))
    earliest = if (!policy.hasPeriods || were.contains(policy.periods)) found else Some(Due.AtOnce)
  }

  def writeDirectory(out: ByteWriter): Unit = {
    out.byte((if (earliest.isDefined) HasEarliest else 0) | (if (policy.hasPeriods) HasPeriods else 0))
    earliest.foreach(out.long)
    if (policy.hasPeriods) policy.periods.foreach { periods =>
      out.count(periods.size.toLong)
      periods.foreach(out.long)
    }
  }
}

private object ProcessingTimer {
  private val HasEarliest = 1
  private val HasPeriods  = 2
}
