package windrow.core.state

import java.util.{TreeMap => JTreeMap}
import scala.jdk.CollectionConverters._

/** The codec of one stored value that holds the values of several positions by key.
  *
  * @param combine
  *   merges two values of a key, the older one first; it may overwrite the older one
  */
private[state] final class SegmentRows[T](codec: Codec[T], combine: (T, T) => T) {
  type Rows = JTreeMap[Long, KeyMap[T]]

  def none: Rows = new Rows

  /** A copy of the rows at positions in a closed range. */
  def part(rows: Rows, first: Long, last: Long): Rows = new JTreeMap(rows.subMap(first, true, last, true))

  def size(rows: Rows): Long = rows.values.asScala.map(_.size.toLong).sum

  /** Merges `more`, whose values are newer, into `rows`. */
  def joined(rows: Rows, more: Rows): Rows = {
    more.forEach { (position, keyed) =>
      val known = rows.putIfAbsent(position, keyed)
      if (known != null) (0 until keyed.size).foreach(i => add(known, keyed.keyAt(i), keyed.valueAt(i)))
    }
    rows
  }

  def add(keyed: KeyMap[T], key: Key, value: T): Unit = {
    val index = keyed.indexOf(key)
    if (index < 0) keyed.add(key, value) else keyed.set(index, combine(keyed.valueAt(index), value))
  }

  /** @param first
    *   lower bound of the positions, as `last` is the upper one
    * @param bound
    *   positions below it are skipped
    */
  def read(in: ByteReader, first: Long, last: Long, bound: Long): Rows = in.decode { in =>
    val rows = none
    while (in.hasNext) {
      val position = in.long()
      if (position < first || position > last) throw in.damaged(s"its position $position is out of range")
      val keys  = in.size()
      val keyed = new KeyMap[T](keys)
      (0 until keys).foreach(_ => keyed.put(new Key(in.bytes()), codec.read(in)))
      if (position >= bound) rows.put(position, keyed)
    }
    rows
  }

  /** Writes keys of a position from index `from` on, at least one if there are any.
    *
    * @param most
    *   no further key is written once the output has this many bytes
    * @return
    *   index of the first key not written
    */
  def write(position: Long, keyed: KeyMap[T], from: Int, out: ByteWriter, most: Int): Int = {
    val start = out.size
    val until = writeSome(position, keyed, from, keyed.size, out, most)
    if (until < keyed.size) {
      out.cutTo(start) // the number of keys precedes them
      writeSome(position, keyed, from, until, out, Int.MaxValue)
    } else until
  }

  private def writeSome(position: Long, keyed: KeyMap[T], from: Int, until: Int, out: ByteWriter, most: Int): Int = {
    out.long(position)
    out.count((until - from).toLong)
    var index = from
    while (index < until && (index == from || out.size <= most)) {
      out.bytes(keyed.keyAt(index).bytes)
      codec.write(keyed.valueAt(index), out)
      index += 1
    }
    index
  }
}
