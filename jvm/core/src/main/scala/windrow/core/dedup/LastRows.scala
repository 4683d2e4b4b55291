package windrow.core.dedup

import scala.collection.mutable
import windrow.core.operator.{Counters, Out, Part}
import windrow.core.state.{Key, Spaces, StatePart}
import windrow.core.store.Incoming
import windrow.core.time.{Position, Watermark}
import windrow.{DedupSpec, Reason}

/** Keeps each row that no other row of its key follows within a duration (SEMANTICS R108, R109). Rows only become
  * duplicates, never the reverse, so a row is emitted at most once and retracted at most once.
  *
  * The times of all accepted rows decide by event time alone. Then only rows that are no duplicates are stored. With
  * another order, duplicates are stored too, because they are compared with rows that arrive later.
  *
  * @param order
  *   decides by payload which row is the later one; None if the event time does
  */
private[dedup] final class LastRows(
    spec: DedupSpec,
    store: Spaces,
    order: Option[Ordering[Array[Byte]]],
    counters: Counters)
    extends KeepRule {
  private val within   = spec.within.micros
  private val lateness = spec.windows.latenessInTime
  private val times    = new KeptTimes(within, store)
  private val rows     = new StoredRows(store)
  private val following: Ordering[LastRow] =
    order.fold(LastRow.ByTime)(of => Ordering.by[LastRow, Array[Byte]](_.payload)(of).orElse(LastRow.ByTime))

  /** The number of steps that have begun, plus 1. Rows of earlier steps have a smaller number. */
  private var step = 1L

  /** The rows of this step that are not duplicates of its earlier rows, if they are emitted at its end. */
  private val fresh = mutable.ArrayBuffer.empty[(Incoming, LastRow)]

  def parts: Seq[StatePart] = Seq(times, rows)

  def add(message: Incoming, time: Long, watermark: Watermark, out: Out[DedupEffect]): Unit = {
    val row     = new LastRow(time, message.origin, message.payload, step, isOpen = true)
    val near    = times.near(message.key, time)
    var isThere = false // a greater row has this time
    var at      = 0
    while (at < near.length) {
      val other = near(at)
      if (order.isEmpty && other > time) row.isOpen = false
      else {
        val rival = rows.find(message.key, other)
        if (rival != null)
          if (following.lt(rival, row)) replace(message, rival, other == time, watermark, out)
          else {
            row.isOpen = false
            isThere ||= other == time
          }
      }
      at += 1
    }
    if (!near.contains(time)) times.add(message.key, time, isThinned = order.isEmpty)
    if (row.isOpen || order.isDefined && !isThere) rows.put(message.key, row)
    if (!row.isOpen) out.put(DedupEffect.Drop(message, Reason.Duplicate, watermark))
    else {
      counters.accepted += 1
      if (spec.retracts) fresh += message -> row
    }
  }

  /** Marks a row as a duplicate of a message.
    *
    * @param isSame
    *   whether the message has its time, so that it takes the row's place
    */
  private def replace(
      message: Incoming,
      row: LastRow,
      isSame: Boolean,
      watermark: Watermark,
      out: Out[DedupEffect]): Unit = {
    val wasOpen = row.isOpen
    if (isSame || order.isEmpty) rows.remove(message.key, row)
    if (wasOpen) {
      val one = row.of(message.key)
      if (isSame || order.isEmpty) row.isOpen = false else rows.close(message.key, row)
      if (row.step == step) {
        counters.accepted -= 1
        out.put(DedupEffect.Drop(one, Reason.Duplicate, watermark))
      } else {
        if (spec.retracts) out.put(DedupEffect.Retract(one))
        out.put(DedupEffect.Replace(one, watermark))
      }
    }
  }

  def end(out: Out[DedupEffect]): Unit = {
    fresh.foreach { case (message, row) => if (row.isOpen) out.put(DedupEffect.Keep(message)) }
    fresh.clear()
    step += 1
  }

  def leave(watermark: Watermark): Iterator[Part[DedupEffect]] = {
    val closed = watermark.leaves(lateness) // rows before it are too late
    times.leave(watermark, lateness)
    if (closed == Position.Least) Iterator.empty
    else rows.takeBefore(if (closed == Position.Greatest) closed else Position.minus(closed, within)) {
      (key, row, out) => if (row.isOpen && !spec.retracts) out.put(DedupEffect.Keep(row.of(key)))
    }
  }

  def storedTimes: Iterator[(Key, Array[Long])] = times.all
  def storedRows: Iterator[(Key, LastRow)]      = rows.all
  def size: Long                                = math.max(times.size, rows.size)
}
