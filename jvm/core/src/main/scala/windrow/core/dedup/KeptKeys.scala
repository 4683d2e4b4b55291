package windrow.core.dedup

import windrow.core.state.{ByteReader, ByteWriter, Codec, Key, KeyMap, SortedRun, Spaces}
import windrow.core.time.{Axis, Distance, Position, Watermark}

/** For each kept key the watermark up to which other rows of the key are duplicates, by hash of the key. A row reads one
  * page. A key whose watermark has passed counts as removed; all keys are visited, and such keys deleted, each time the
  * watermark has advanced by `within`, so a key is visited a few times in its life.
  *
  * @param within
  *   how far the watermark passes the time of a kept row before its key can be kept again, in microseconds
  */
private[dedup] final class KeptKeys(within: Long, store: Spaces) extends KeptRows {
  import KeptKeys._

  private val until = new SortedRun(KeptTimes.Space, store, UntilCodec)

  /** The keys of rows of this step whose watermark had already passed. They have duplicates in this step only. */
  private val passing = new KeyMap[Unit]

  /** The watermark above which all keys are visited. */
  private var next = Position.Least

  def keep(key: Key, time: Long, watermark: Watermark): Boolean = {
    val position  = key.spread >>> (64 - HashBits)
    val last      = Position.plus(time, within)
    val isPassing = watermark.at > last
    val isKept    = !isLive(until.peek(position), key, watermark) && !passing.containsKey(key)
    if (isKept && isPassing) passing.add(key, ())
    else if (isKept) until.at(position).put(key, last)
    isKept
  }

  private def isLive(keyed: KeyMap[Long], key: Key, watermark: Watermark): Boolean = {
    val index = if (keyed == null) -1 else keyed.indexOf(key)
    index >= 0 && watermark.at <= keyed.valueAt(index)
  }

  def leave(watermark: Watermark, lateness: Distance[Axis.Time]): Unit = {
    if (!passing.isEmpty) passing.clear()
    if (watermark.at > next) {
      until.between(Position.Least, Position.Greatest).toVector.foreach { case (position, keyed) =>
        val live = keyed.keysInOrder.zip(keyed.valuesInOrder).filter(watermark.at <= _._2).toVector
        if (live.size < keyed.size) {
          val left = until.at(position)
          left.clear()
          live.foreach { case (key, last) => left.add(key, last) }
        }
      }
      next = Position.plus(watermark.at, within)
    }
  }

  def all: Iterator[(Key, Array[Long])] = until.between(Position.Least, Position.Greatest).flatMap { case (_, keyed) =>
    keyed.keysInOrder.zip(keyed.valuesInOrder.map(last => Array(Position.minus(last, within))))
  }

  def size: Long = until.size.getOrElse(0L)

  def readDirectory(in: ByteReader): Unit = {
    next = in.long()
    until.readDirectory(in)
  }

  override def flush(): Unit = until.flush()

  def writeDirectory(out: ByteWriter): Unit = {
    out.long(next)
    until.writeDirectory(out)
  }
}

private object KeptKeys {

  /** Keys are spread over 1,024 positions, so that a page contains a small part of them. */
  private val HashBits = 10

  private object UntilCodec extends Codec[Long] {
    def write(last: Long, out: ByteWriter): Unit = out.long(last)
    def read(in: ByteReader): Long               = in.long()
  }
}
