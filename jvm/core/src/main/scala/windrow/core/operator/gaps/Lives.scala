package windrow.core.operator
package gaps

import java.util.{TreeMap => JTreeMap}
import scala.jdk.CollectionConverters._
import windrow.core.grid.SliceGrid
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.core.time.{Axis, Distance, EventTime, Position}

/** The lives of a key (SEMANTICS R3). A life extends from a window with messages to the last window that ends within
  * the `fillGaps` limit after its last window with messages. Windows are identified by their starts, and all bounds are
  * inclusive.
  */
private[gaps] final class Lives(grid: SliceGrid[Axis.Time]) {
  import Lives._

  /** Lives by their first window; they neither overlap nor adjoin. */
  private val lives = new JTreeMap[Long, Life]

  /** Records a message in all windows with starts in a range.
    *
    * @return
    *   ranges of windows that were in no life before
    */
  def add(from: Long, to: Long, silence: Distance[Axis.Time]): Seq[(Long, Long)] = {
    val holder = lives.floorEntry(from)
    if (holder != null && holder.getValue.last >= to) Nil
    else {
      val life = Life(to, tail(to, silence))
      val news = without(from, life.until)
      join(from, life)
      news
    }
  }

  /** The last window that ends within the limit after another one. */
  private def tail(start: Long, silence: Distance[Axis.Time]): Long =
    if (silence.isEndless) EventTime.Max
    else math.max(start, lastEnded(grid, silence.after(grid.end(start))))

  private def join(from: Long, life: Life): Unit = {
    var (first, whole) = (from, life)
    var touching       = lives.floorEntry(grid.next(life.until))
    while (touching != null && grid.next(touching.getValue.until) >= from) {
      first = math.min(first, touching.getKey)
      whole = whole.and(touching.getValue)
      lives.remove(touching.getKey)
      touching = lives.floorEntry(grid.next(life.until))
    }
    lives.put(first, whole)
    ()
  }

  /** The parts of a range that are in no life. */
  private def without(from: Long, to: Long): Seq[(Long, Long)] = {
    val lived  = within(from, to).toVector
    val starts = from +: lived.map { case (_, end) => grid.next(end) }
    val ends   = lived.map { case (start, _) => grid.lastStart(Position.minus(start, 1)) } :+ to
    starts.zip(ends).filter { case (start, end) => start <= end && start < EventTime.Max }
  }

  /** The parts of a range that are in a life. */
  def within(from: Long, to: Long): Iterator[(Long, Long)] = {
    val floor = Option(lives.floorKey(from)).fold(from)(_.longValue)
    lives.tailMap(floor, true).entrySet.iterator.asScala.takeWhile(_.getKey <= to)
      .map(life => (math.max(life.getKey, from), math.min(life.getValue.until, to)))
      .filter { case (start, end) => start <= end }
  }

  def holds(start: Long): Boolean = within(start, start).nonEmpty

  /** The last window with messages. */
  def lastWithMessages: Long = lives.lastEntry.getValue.last

  /** The last window of the last life. */
  def end: Long = lives.lastEntry.getValue.until

  def isEmpty: Boolean = lives.isEmpty

  /** Forgets lives that end before a window, and returns whether there were any. */
  def dropBelow(start: Long): Boolean = {
    val before = lives.size
    while (!lives.isEmpty && lives.firstEntry.getValue.until < start) lives.pollFirstEntry()
    lives.size != before
  }

  /** Applies another limit. Windows up to `ended` stay unchanged, and a life that ends before them is not extended. */
  def adapt(silence: Distance[Axis.Time], ended: Long): Unit = {
    val known = lives.entrySet.asScala.map(life => (life.getKey.longValue, life.getValue)).toVector
    lives.clear()
    known.foreach { case (first, life) =>
      val until = math.max(tail(life.last, silence), math.min(life.until, ended))
      join(first, if (life.until <= ended) life else life.copy(until = until))
    }
  }

  def read(in: ByteReader): Unit = (0 until in.size()).foreach(_ => lives.put(in.long(), Life(in.long(), in.long())))

  def write(out: ByteWriter): Unit = {
    out.count(lives.size.toLong)
    lives.forEach { (first, life) =>
      out.long(first)
      out.long(life.last)
      out.long(life.until)
    }
  }
}

private[gaps] object Lives {

  /** @param last
    *   the last window with messages
    * @param until
    *   the last window, with or without messages
    */
  private final case class Life(last: Long, until: Long) {
    def and(other: Life): Life = Life(math.max(last, other.last), math.max(until, other.until))
  }

  /** The last window that has ended at a time. */
  def lastEnded(grid: SliceGrid[Axis.Time], at: Long): Long =
    if (at == Position.Least) Position.Least else grid.lastStart(Position.minus(grid.firstStart(at), 1))
}
