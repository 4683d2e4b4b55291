package windrow.core.join

import scala.collection.immutable.TreeMap
import windrow.core.state._
import windrow.core.store._
import windrow.core.window.SessionBounds

/** What a key's streams keep.
  *
  * @param fixed
  *   the key, if all its messages have the same
  */
private[join] final class KeySides(
    fixed: Option[Key],
    order: Ordering[StoredMessage],
    streams: Int,
    segments: Segments) {
  private val codec = StoredMessage.codec(fixed)

  val runs: IndexedSeq[MessageRun] = IndexedSeq.fill(streams)(new MessageRun(order, codec, segments))

  /** Messages before these times are settled, each in its stream; later ones may be too. */
  val settledBelow: Array[Long] = Array.fill(streams)(Long.MinValue)

  /** By key, whatever run its messages share: rows that wait for a period to end. */
  var waiting: Map[Key, Waiting] = Map.empty

  /** Of all streams together, where these are what messages share; those that still take messages, by start. */
  var sessions: TreeMap[Long, SessionBounds] = TreeMap.empty

  def isEmpty: Boolean = waiting.isEmpty && sessions.isEmpty && runs.forall(_.isEmpty)

  def write(out: ByteWriter): Unit = {
    runs.foreach(_.write(out))
    settledBelow.foreach(out.long)
    out.count(sessions.size.toLong)
    sessions.valuesIterator.foreach { session =>
      out.long(session.start)
      out.long(session.end)
    }
    out.count(waiting.size.toLong)
    waiting.foreach { case (key, held) =>
      out.bytes(key.bytes)
      held.write(codec, out)
    }
  }

  def read(in: ByteReader): Unit = {
    runs.foreach(_.read(in))
    settledBelow.indices.foreach(i => settledBelow(i) = in.long())
    sessions =
      TreeMap.from(Seq.fill(in.size())(SessionBounds(in.long(), in.long())).map(one => one.start -> one))
    waiting = Seq.fill(in.size())(new Key(in.bytes()) -> Waiting.read(codec, in)).toMap
  }
}

/** @param since
  *   processing time of the first row; None before any
  */
private[join] final case class Waiting(since: Option[Long], rows: Vector[JoinRow]) {
  def write(codec: Codec[StoredMessage], out: ByteWriter): Unit = {
    out.byte(if (since.isDefined) 1 else 0)
    since.foreach(out.long)
    out.count(rows.size.toLong)
    rows.foreach { row =>
      out.count(row.messages.size.toLong)
      row.messages.foreach { side =>
        out.byte(if (side.isDefined) 1 else 0)
        side.foreach(codec.write(_, out))
      }
    }
  }
}

private[join] object Waiting {
  def read(codec: Codec[StoredMessage], in: ByteReader): Waiting = {
    val since = Option.when(in.byte() == 1)(in.long())
    def row() = JoinRow(Vector.fill(in.size())(Option.when(in.byte() == 1)(codec.read(in))))
    Waiting(since, Vector.fill(in.size())(row()))
  }
}

private[join] final class KeySidesCodec(make: Option[Key] => KeySides) extends Codec[(Option[Key], KeySides)] {
  def write(value: (Option[Key], KeySides), out: ByteWriter): Unit = {
    out.byte(if (value._1.isDefined) 1 else 0)
    value._1.foreach(key => out.bytes(key.bytes))
    value._2.write(out)
  }

  def read(in: ByteReader): (Option[Key], KeySides) = {
    val fixed = Option.when(in.byte() == 1)(new Key(in.bytes()))
    val sides = make(fixed)
    sides.read(in)
    (fixed, sides)
  }
}

/** @param messages
  *   one for each stream in order, None where it has none; of semi and anti joins the first stream's only
  */
final case class JoinRow(messages: Vector[Option[StoredMessage]])

/** A row that comes if no more messages do.
  *
  * @param watermark
  *   the least at which it is known that the row's message stays alone, in microseconds; None: the row waits for none
  * @param processingTime
  *   at which a period ends, in microseconds; None: it waits for none
  */
final case class PendingRow(row: JoinRow, watermark: Option[Long], processingTime: Option[Long])
