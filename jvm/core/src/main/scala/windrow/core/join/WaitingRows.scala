package windrow.core.join

import windrow.core.operator.{Out, Part}
import windrow.core.state._
import windrow.core.store.{Periods, StoredMessage, UnsentMessages}
import windrow.core.time.Due
import windrow.core.trigger.WindowTrigger
import windrow.{EveryPeriod, Guard, Guards}

/** Rows of a join that wait for a period to end, by key (SEMANTICS R14). Each row is written once, so a key with many
  * waiting rows costs a step only its new ones (SEMANTICS S10).
  *
  * @param periods
  *   ends of the periods of keys
  */
private[join] final class WaitingRows(
    early: EveryPeriod,
    guards: Guards,
    periods: Periods,
    segments: Segments,
    store: Spaces) extends StateParts {
  private val keys =
    new KeyBuckets[WaitingKeyRows](WaitingRows.Space, store, new WaitingKeyRowsCodec(segments), _ => Due.Never)

  /** Adds a row.
    *
    * @param fixed
    *   the key of the messages of all its rows, if they share one
    * @param now
    *   processing time in microseconds; None before the first one
    */
  def add(key: Key, fixed: Option[Key], row: JoinRow, now: Option[Long]): Unit = {
    val held = Option(keys.get(key)).getOrElse(new WaitingKeyRows(fixed, segments))
    guards.check(Guard.PendingOutput, held.size + 1, s"rows of a join that wait for $early")
    held.add(row)
    keep(key, held, now)
  }

  private def keep(key: Key, held: WaitingKeyRows, now: Option[Long]): Unit = {
    if (held.until.isEmpty) {
      held.until = now.map(WindowTrigger.due(_, early.period))
      held.until.foreach(periods.await(key, _))
    }
    keys.put(key, held)
  }

  /** Emits rows whose period has ended, at the end of a step.
    *
    * @param isFirst
    *   whether `now` is the first processing time
    * @param isEnd
    *   whether the input has ended
    */
  def release(now: Option[Long], isFirst: Boolean, isEnd: Boolean): Iterator[Part[JoinEffect]] = {
    val due = if (isFirst || isEnd) keys.walkAll else periods.due(now)
    due.map[Part[JoinEffect]](key => out => Option(keys.get(key)).foreach(release(key, _, now, isEnd, out))) ++
      Part.silent(periods.forget(now))
  }

  private def release(key: Key, held: WaitingKeyRows, now: Option[Long], isEnd: Boolean, out: Out[JoinEffect]): Unit = {
    keep(key, held, now)
    if (isEnd || held.until.zip(now).exists { case (end, now) => end <= now }) {
      keys.remove(key)
      out.andThen(held.all.map(row => Part.put(JoinEffect.Row(row))) ++ Part.silent(held.forget()))
    }
  }

  /** All rows, with the processing times at which their periods end. */
  def all: Iterator[(JoinRow, Option[Long])] =
    keys.all.map(keys.get).flatMap(held => held.all.map((_, held.until)))

  protected def parts: Seq[StatePart] = Seq(keys)
}

private[join] object WaitingRows {
  val Space = "waiting"
}

/** The waiting rows of one key.
  *
  * @param fixed
  *   the key of their messages, if they share one
  */
private[join] final class WaitingKeyRows(val fixed: Option[Key], segments: Segments) {
  private val stored = new UnsentMessages.UnsentCodec(new JoinRowCodec(StoredMessage.codec(fixed)), segments)
  private var rows   = new UnsentMessages[JoinRow]

  /** Processing time at which their period ends, in microseconds; None before the first processing time. */
  var until: Option[Long] = None

  def size: Long              = rows.size
  def add(row: JoinRow): Unit = { rows.add(row); () }
  def all: Iterator[JoinRow]  = stored.all(rows)

  /** Removes all rows. */
  def forget(): Unit = stored.forget(rows)

  def write(out: ByteWriter): Unit = {
    out.byte(if (until.isDefined) 1 else 0)
    until.foreach(out.long)
    stored.write(rows, out)
  }

  def read(in: ByteReader): this.type = {
    until = Option.when(in.byte() == 1)(in.long())
    rows = stored.read(in)
    this
  }
}

private final class WaitingKeyRowsCodec(segments: Segments) extends Codec[WaitingKeyRows] {
  def write(held: WaitingKeyRows, out: ByteWriter): Unit = {
    FixedKey.write(held.fixed, out)
    held.write(out)
  }

  def read(in: ByteReader): WaitingKeyRows = new WaitingKeyRows(FixedKey.read(in), segments).read(in)
}
