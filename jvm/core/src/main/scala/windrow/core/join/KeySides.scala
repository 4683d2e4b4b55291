package windrow.core.join

import scala.collection.immutable.{ArraySeq, TreeMap}
import windrow.core.state._
import windrow.core.store._
import windrow.core.time.{Bounds, EventTime}

/** The state of a key: the messages of its streams.
  *
  * @param fixed
  *   the key, if all its messages share it
  */
private[join] final class KeySides(
    fixed: Option[Key],
    order: Ordering[StoredMessage],
    streams: Int,
    segments: Segments) {
  private val codec = StoredMessage.codec(fixed)

  val runs: IndexedSeq[MessageRun] = {
    val all = new Array[MessageRun](streams)
    all.indices.foreach(all(_) = new MessageRun(order, codec, segments))
    ArraySeq.unsafeWrapArray(all)
  }

  /** For each run, the time before which all messages are settled; later ones may be settled, too. In an as-of join, the
    * first is the watermark from which on the key is due, and the others are not used.
    */
  val settledBelow: Array[Long] = Array.fill(streams)(EventTime.Min)

  /** The sessions of all streams together that still accept messages, by start, if messages pair by session. */
  var sessions: TreeMap[Long, Bounds] = TreeMap.empty

  def isEmpty: Boolean = sessions.isEmpty && runs.forall(_.isEmpty)

  def write(out: ByteWriter): Unit = {
    runs.foreach(_.write(out))
    settledBelow.foreach(out.long)
    out.count(sessions.size.toLong)
    sessions.valuesIterator.foreach { session =>
      out.long(session.start)
      out.long(session.end)
    }
  }

  def read(in: ByteReader): Unit = {
    runs.foreach(_.read(in))
    settledBelow.indices.foreach(i => settledBelow(i) = in.long())
    sessions =
      TreeMap.from(Seq.fill(in.size())(Bounds(in.long(), in.long())).map(one => one.start -> one))
  }
}

/** Writes and reads the state of a key. */
private[join] final class KeySidesCodec(make: Option[Key] => KeySides) extends Codec[(Option[Key], KeySides)] {
  def write(value: (Option[Key], KeySides), out: ByteWriter): Unit = {
    FixedKey.write(value._1, out)
    value._2.write(out)
  }

  def read(in: ByteReader): (Option[Key], KeySides) = {
    val fixed = FixedKey.read(in)
    val sides = make(fixed)
    sides.read(in)
    (fixed, sides)
  }
}

/** The common key of messages, if they share one. */
private[join] object FixedKey {
  def write(fixed: Option[Key], out: ByteWriter): Unit = {
    out.byte(if (fixed.isDefined) 1 else 0)
    fixed.foreach(key => out.bytes(key.bytes))
  }

  def read(in: ByteReader): Option[Key] = Option.when(in.byte() == 1)(new Key(in.bytes()))
}
