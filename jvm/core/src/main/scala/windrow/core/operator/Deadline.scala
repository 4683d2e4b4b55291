package windrow.core.operator

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** The earliest processing time, in microseconds, at which a window of a shard is to be looked at. */
private[operator] final class Deadline {
  private var earliest = Option.empty[Long]

  def next: Option[Long] = earliest

  def isReached(now: Option[Long]): Boolean = earliest.zip(now).exists { case (due, at) => at >= due }

  def add(due: Option[Long]): Unit = earliest = (earliest ++ due).minOption

  def clear(): Unit = earliest = None

  def read(in: ByteReader): Unit = earliest = Option.when(in.byte() == 1)(in.long())

  def write(out: ByteWriter): Unit = {
    out.byte(if (earliest.isDefined) 1 else 0)
    earliest.foreach(out.long)
  }
}
