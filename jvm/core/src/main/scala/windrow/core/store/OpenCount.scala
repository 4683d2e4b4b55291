package windrow.core.store

import windrow.core.state.{ByteReader, ByteWriter}

/** The number of open windows of a shard (SEMANTICS S16), for shards that know it without reading the windows. */
private[core] final class OpenCount {

  /** The number when the shard was opened; None if unknown. A shard without a header has 0. */
  private var before: Option[Long] = Some(0L)

  private var after: Option[Long] = None

  /** The number at the end of the last step; None if unknown. */
  def now: Option[Long] = after

  /** The change since the shard was opened. */
  def change: Option[Long] = for (now <- after; was <- before) yield now - was

  /** Sets the number at the end of a step.
    *
    * @param count
    *   computes it from the number when the shard was opened
    */
  def end(count: Option[Long] => Option[Long]): Unit = after = count(before)

  def read(in: ByteReader): Unit = before = Option.when(in.byte() == 1)(in.count())

  def write(out: ByteWriter): Unit = {
    out.byte(if (after.isDefined) 1 else 0)
    after.foreach(out.count)
  }
}
