package windrow.core.dedup

import windrow.Reason
import windrow.core.operator.{Out, Part}
import windrow.core.state.{Key, KeyMap, StatePart}
import windrow.core.store.Incoming
import windrow.core.time.{Axis, Distance, Position, Watermark}

/** Keeps the first row of each group of duplicates, in the order of the step. */
private[dedup] class FirstRows(kept: KeptRows, lateness: Distance[Axis.Time]) extends KeepRule {
  def parts: Seq[StatePart] = Seq(kept)

  def add(message: Incoming, time: Long, watermark: Watermark, out: Out[DedupEffect]): Unit =
    out.put(
      if (keeps(message, time, watermark)) DedupEffect.Keep(message)
      else DedupEffect.Drop(message, Reason.Duplicate, watermark))

  protected final def keeps(message: Incoming, time: Long, watermark: Watermark): Boolean =
    kept.keep(message.key, time, watermark)

  def end(out: Out[DedupEffect]): Unit = ()

  def leave(watermark: Watermark): Iterator[Part[DedupEffect]] = {
    kept.leave(watermark, lateness)
    Iterator.empty
  }

  def storedTimes: Iterator[(Key, Array[Long])] = kept.all
  def storedRows: Iterator[(Key, LastRow)]      = Iterator.empty
  def size: Long                                = kept.size
}

/** Keeps the least of the rows with equal key and time. These rows are neighbors in time, so only those of one time
  * wait.
  */
private[dedup] final class FirstWithinInstant(
    kept: KeptRows,
    lateness: Distance[Axis.Time],
    order: Ordering[Array[Byte]])
    extends FirstRows(kept, lateness) {
  private var instant = Position.Least
  private val least   = new KeyMap[Incoming]

  override def add(message: Incoming, time: Long, watermark: Watermark, out: Out[DedupEffect]): Unit = {
    def drop(one: Incoming): Unit = out.put(DedupEffect.Drop(one, Reason.Duplicate, watermark))
    if (time != instant) end(out)
    instant = time
    val rival = least.indexOf(message.key)
    if (rival >= 0) {
      val other = least.valueAt(rival)
      val wins  = order.lt(message.payload, other.payload)
      if (wins) least.set(rival, message)
      drop(if (wins) other else message)
    } else if (keeps(message, time, watermark)) least.add(message.key, message)
    else drop(message)
  }

  override def end(out: Out[DedupEffect]): Unit = if (!least.isEmpty) {
    least.valuesInOrder.foreach(message => out.put(DedupEffect.Keep(message)))
    least.clear()
  }
}
