package windrow.core.store

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** How many windows of a shard are open (SEMANTICS S16), told where they need not be looked at for it. */
private[core] final class OpenCount {

  /** As the shard was opened; None: not known. One without a header has no windows. */
  private var before: Option[Long] = Some(0L)

  private var after: Option[Long] = None

  /** At the end of the last step; None: not known. */
  def now: Option[Long] = after

  /** Since the shard was opened. */
  def change: Option[Long] = for (now <- after; was <- before) yield now - was

  /** @param count
    *   of the number before
    */
  def end(count: Option[Long] => Option[Long]): Unit = after = count(before)

  def read(in: ByteReader): Unit = before = Option.when(in.byte() == 1)(in.count())

  def write(out: ByteWriter): Unit = {
    out.byte(if (after.isDefined) 1 else 0)
    after.foreach(out.count)
  }
}
