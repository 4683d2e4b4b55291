package windrow.core.dedup

import windrow.core.state.{ByteReader, ByteWriter, Codec, Key, KeyMap, SortedRun, Spaces}
import windrow.core.time.{Axis, Distance, Position, Watermark}

/** The event times of the rows that a shard has kept, by slice of time, hash of the key, and key. A row costs a read of
  * the pages of its key in at most three slices, and the watermark removes whole slices without reading them.
  *
  * @param within
  *   rows of a key are duplicates if their times differ by at most this, in microseconds
  */
private[dedup] final class KeptTimes(within: Long, store: Spaces) extends KeptRows {
  import KeptTimes._

  /** The length of a slice. It is longer than `within`, so that few slices can contain a duplicate of a row. */
  private val width = math.max(within + 1, Shortest)

  private val times = new SortedRun(Space, store, TimesCodec)

  private val recent = new RecentPositions(times)

  def keep(key: Key, time: Long, watermark: Watermark): Boolean = {
    val hash  = key.spread >>> (64 - HashBits)
    val last  = sliceOf(time + within)
    var slice = sliceOf(time - within)
    while (slice <= last && !isNear(recent.peek(slice << HashBits | hash), key, time)) slice += 1
    val isKept = slice > last
    if (isKept) add(recent.at(sliceOf(time) << HashBits | hash), key, time)
    isKept
  }

  private def isNear(keyed: KeyMap[Array[Long]], key: Key, time: Long): Boolean = {
    val kept = if (keyed == null) null else keyed.get(key)
    var at   = if (kept == null) -1 else kept.length - 1
    while (at >= 0 && math.abs(time - kept(at)) > within) at -= 1
    at >= 0
  }

  private def add(keyed: KeyMap[Array[Long]], key: Key, time: Long): Unit = {
    val index = keyed.indexOf(key)
    if (index < 0) keyed.add(key, Array(time)) else keyed.set(index, keyed.valueAt(index) :+ time)
  }

  /** The times of a key that differ from a time by at most `within`. */
  def near(key: Key, time: Long): Array[Long] = {
    val hash  = key.spread >>> (64 - HashBits)
    val last  = sliceOf(time + within)
    var slice = sliceOf(time - within)
    var found = NoTimes
    while (slice <= last) {
      val keyed = recent.peek(slice << HashBits | hash)
      val some  = if (keyed == null) null else keyed.get(key)
      if (some != null) found ++= some.filter(other => math.abs(time - other) <= within)
      slice += 1
    }
    found
  }

  /** Adds a time of a key that it does not have, in order.
    *
    * @param isThinned
    *   whether to leave out each time between two others that are at most `within` apart: whether a time follows a row
    *   within that duration does not depend on it
    */
  def add(key: Key, time: Long, isThinned: Boolean): Unit = {
    val keyed = recent.at(sliceOf(time) << HashBits | key.spread >>> (64 - HashBits))
    val index = keyed.indexOf(key)
    if (index < 0) keyed.add(key, Array(time))
    else {
      val all = (keyed.valueAt(index) :+ time).sorted
      keyed.set(index, if (isThinned) thinned(all) else all)
    }
  }

  private def thinned(all: Array[Long]): Array[Long] =
    all.foldLeft(NoTimes) { (kept, time) =>
      val isBetween = kept.length > 1 && time - kept(kept.length - 2) <= within
      (if (isBetween) kept.init else kept) :+ time
    }

  def leave(watermark: Watermark, lateness: Distance[Axis.Time]): Unit = {
    recent.forget()
    val closed = watermark.leaves(lateness) // rows before it are too late
    if (closed == Position.Greatest) times.dropBelow(closed)
    else if (closed != Position.Least) times.dropBelow(sliceOf(Position.minus(closed, within)) << HashBits)
  }

  def all: Iterator[(Key, Array[Long])] = times.between(Position.Least, Position.Greatest).flatMap { case (_, keyed) =>
    keyed.keysInOrder.zip(keyed.valuesInOrder)
  }

  def size: Long = times.size.getOrElse(0L)

  private def sliceOf(time: Long): Long = Math.floorDiv(time, width)

  def readDirectory(in: ByteReader): Unit = times.readDirectory(in)

  override def flush(): Unit = {
    recent.forget()
    times.flush()
  }

  def writeDirectory(out: ByteWriter): Unit = times.writeDirectory(out)
}

private[dedup] object KeptTimes {
  val Space = "kept"

  /** Keys of a slice are spread over 1,024 positions, so that a page contains a small part of them. */
  private val HashBits = 10

  /** About a second. Shorter slices would give a position more bits than a long has. */
  private val Shortest = 1L << 20

  private val NoTimes: Array[Long] = Array.empty

  private object TimesCodec extends Codec[Array[Long]] {
    def write(times: Array[Long], out: ByteWriter): Unit = {
      out.count(times.length.toLong)
      times.foreach(out.long)
    }

    def read(in: ByteReader): Array[Long] = {
      val times = new Array[Long](in.size())
      times.indices.foreach(times(_) = in.long())
      times
    }
  }
}
