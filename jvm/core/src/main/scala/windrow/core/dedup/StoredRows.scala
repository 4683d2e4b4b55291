package windrow.core.dedup

import scala.collection.mutable
import windrow.core.operator.{Out, Part}
import windrow.core.state.{ByteReader, ByteWriter, Key, KeyMap, SortedRun, Spaces, StatePart}
import windrow.core.time.Position

/** The rows of which one may be the last of its key, by second of event time, hash of the key, and key. Removing the
  * rows before a time reads only their own pages.
  */
private[dedup] final class StoredRows(store: Spaces) extends StatePart {
  import StoredRows._

  private type Keyed = KeyMap[Array[LastRow]]

  private val rows = new SortedRun(Space, store, LastRow.RowsCodec)

  private val recent = new RecentPositions(rows)

  /** Positions at which a key may have no rows left. */
  private val thinned = mutable.Set.empty[Long]

  /** The row of a key with this time, or null. */
  def find(key: Key, time: Long): LastRow = {
    val keyed = recent.peek(position(key, time))
    val found = if (keyed == null) null else keyed.get(key)
    if (found == null) null
    else {
      var at = found.length - 1
      while (at >= 0 && found(at).time != time) at -= 1
      if (at < 0) null else found(at)
    }
  }

  def put(key: Key, row: LastRow): Unit = {
    val keyed = recent.at(position(key, row.time))
    val index = keyed.indexOf(key)
    if (index < 0) keyed.add(key, Array(row)) else keyed.set(index, keyed.valueAt(index) :+ row)
  }

  def remove(key: Key, row: LastRow): Unit = {
    val at    = position(key, row.time)
    val keyed = recent.at(at)
    val index = keyed.indexOf(key)
    keyed.set(index, keyed.valueAt(index).filterNot(_ eq row))
    thinned += at
  }

  /** Marks a row as a duplicate, and keeps it. */
  def close(key: Key, row: LastRow): Unit = {
    row.isOpen = false
    recent.at(position(key, row.time)): Unit // it is written at the end of the step
  }

  /** Passes all rows before a time to `use`, and then removes them. */
  def takeBefore(time: Long)(use: (Key, LastRow, Out[DedupEffect]) => Unit): Iterator[Part[DedupEffect]] = {
    val (first, until) =
      if (time == Position.Greatest) (Position.Greatest, Position.Greatest)
      else (secondOf(time) << HashBits, (secondOf(time) + 1) << HashBits)
    Part.each[(Long, Keyed), DedupEffect](rows.between(Position.Least, until)) { case ((_, keyed), out) =>
      each(keyed)((key, row) => if (row.time < time) use(key, row, out))
    } ++ Part.silent {
      rows.between(first, until).toVector.foreach { case (at, keyed) =>
        if (keyed.valuesInOrder.exists(_.exists(_.time < time))) refill(at)(_.filter(_.time >= time))
      }
      recent.forget()
      rows.dropBelow(first)
    }
  }

  /** All rows, in the order of their times by the second. */
  def all: Iterator[(Key, LastRow)] = rows.between(Position.Least, Position.Greatest).flatMap { case (_, keyed) =>
    keyed.keysInOrder.zip(keyed.valuesInOrder).flatMap { case (key, some) => some.iterator.map(key -> _) }
  }

  private def each(keyed: Keyed)(use: (Key, LastRow) => Unit): Unit = {
    var index = 0
    while (index < keyed.size) {
      val key = keyed.keyAt(index)
      keyed.valueAt(index).foreach(use(key, _))
      index += 1
    }
  }

  private def refill(at: Long)(left: Array[LastRow] => Array[LastRow]): Unit = {
    val keyed  = recent.at(at)
    val before = keyed.keysInOrder.zip(keyed.valuesInOrder).toVector
    keyed.clear()
    before.foreach { case (key, some) =>
      val rest = left(some)
      if (rest.nonEmpty) keyed.add(key, rest)
    }
  }

  def size: Long = rows.size.getOrElse(0L)

  private def position(key: Key, time: Long): Long = secondOf(time) << HashBits | key.spread >>> (64 - HashBits)

  private def secondOf(time: Long): Long = time >> SecondBits

  def readDirectory(in: ByteReader): Unit = rows.readDirectory(in)

  override def flush(): Unit = {
    thinned.foreach(at => if (recent.peek(at) != null) refill(at)(identity))
    thinned.clear()
    recent.forget()
    rows.flush()
  }

  def writeDirectory(out: ByteWriter): Unit = rows.writeDirectory(out)
}

private[dedup] object StoredRows {
  val Space = "last"

  /** The keys of a second are spread over 1,024 positions, so that a page contains a small part of them. */
  private val HashBits = 10

  /** 2 to this power are about as many microseconds as a second has. */
  private val SecondBits = 20
}
