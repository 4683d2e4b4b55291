package windrow.core.join

import windrow.core.state._
import windrow.core.store._

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

  /** Messages before these times are settled, each in its stream. */
  val settledBelow: Array[Long] = Array.fill(streams)(Long.MinValue)

  /** Rows that wait for a period to end, and the processing time of the first. */
  var waiting: Vector[JoinRow]   = Vector.empty
  var waitingSince: Option[Long] = None

  def isEmpty: Boolean = waiting.isEmpty && runs.forall(_.isEmpty)

  def write(out: ByteWriter): Unit = {
    runs.foreach(_.write(out))
    settledBelow.foreach(out.long)
    out.byte(if (waitingSince.isDefined) 1 else 0)
    waitingSince.foreach(out.long)
    out.count(waiting.size.toLong)
    waiting.foreach { row =>
      out.count(row.messages.size.toLong)
      row.messages.foreach { side =>
        out.byte(if (side.isDefined) 1 else 0)
        side.foreach(codec.write(_, out))
      }
    }
  }

  def read(in: ByteReader): Unit = {
    runs.foreach(_.read(in))
    settledBelow.indices.foreach(i => settledBelow(i) = in.long())
    waitingSince = Option.when(in.byte() == 1)(in.long())
    waiting = Vector.fill(in.count().toInt)(JoinRow(
      Vector.fill(in.count().toInt)(Option.when(in.byte() == 1)(codec.read(in)))))
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
