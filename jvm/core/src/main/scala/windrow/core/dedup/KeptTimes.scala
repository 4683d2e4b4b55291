package windrow.core.dedup

import windrow.core.state.{ByteReader, ByteWriter, Codec, Key, KeyMap, SortedRun, Spaces}
import windrow.core.time.{Axis, Distance, Position, Watermark}

/** The event times of the rows that a shard has kept, by slice of time, hash of the key, and key. A row costs a read of
  * the pages of its key in at most three slices, and the watermark removes whole slices without reading them.
  *
  * @param within
  *   rows of a key are duplicates if their times differ by at most this, in microseconds
  */
private[dedup] final class KeptTimes(within: Long, store: Spaces) extends Kept {
  import KeptTimes._

  /** The length of a slice. It is longer than `within`, so that few slices can contain a duplicate of a row. */
  private val width = math.max(within + 1, Shortest)

  private val times = new SortedRun(Space, store, TimesCodec)

  def keep(key: Key, time: Long, watermark: Watermark): Boolean = {
    val hash  = key.spread >>> (64 - HashBits)
    val last  = sliceOf(time + within)
    var slice = sliceOf(time - within)
    while (slice <= last && !isNear(times.peek(slice << HashBits | hash), key, time)) slice += 1
    val isKept = slice > last
    if (isKept) add(times.at(sliceOf(time) << HashBits | hash), key, time)
    isKept
  }

  private def isNear(keyed: KeyMap[Array[Long]], key: Key, time: Long): Boolean = {
    val kept = if (keyed == null) null else keyed.get(key)
    kept != null && kept.exists(other => math.abs(time - other) <= within)
  }

  private def add(keyed: KeyMap[Array[Long]], key: Key, time: Long): Unit = {
    val index = keyed.indexOf(key)
    if (index < 0) keyed.add(key, Array(time)) else keyed.set(index, keyed.valueAt(index) :+ time)
  }

  def leave(watermark: Watermark, lateness: Distance[Axis.Time]): Unit = {
    val closed = watermark.leaves(lateness) // rows before it are too late
    if (closed == Position.Greatest) times.dropBelow(closed)
    else if (closed != Position.Least) times.dropBelow(sliceOf(Position.minus(closed, within)) << HashBits)
  }

  def size: Long = times.size.getOrElse(0L)

  private def sliceOf(time: Long): Long = Math.floorDiv(time, width)

  def readDirectory(in: ByteReader): Unit   = times.readDirectory(in)
  override def flush(): Unit                = times.flush()
  def writeDirectory(out: ByteWriter): Unit = times.writeDirectory(out)
}

private[dedup] object KeptTimes {
  val Space = "kept"

  /** Keys of a slice are spread over 1,024 positions, so that a page contains a small part of them. */
  private val HashBits = 10

  /** About a second. Shorter slices would give a position more bits than a long has. */
  private val Shortest = 1L << 20

  private object TimesCodec extends Codec[Array[Long]] {
    def write(times: Array[Long], out: ByteWriter): Unit = {
      out.count(times.length.toLong)
      times.foreach(out.long)
    }

    def read(in: ByteReader): Array[Long] = Array.fill(in.size())(in.long())
  }
}
