package windrow.core.operator
package partitioned

import scala.collection.mutable
import windrow.SourcePartition
import windrow.core.state._
import windrow.core.time.Progress
import windrow.core.time.StepClock
import windrow.core.time.Watermark

/** The windows of all keys on the offsets of one source partition. */
private[core] trait PartitionWindows[B, V] {
  def add(
      entry: Entry[B],
      offset: Long,
      progress: PartitionProgress,
      clock: StepClock,
      counters: Counters): Iterator[Effect[B, V]]

  /** @param now
    *   how far the partition has come with this step
    */
  def advance(progress: PartitionProgress, now: Watermark, clock: StepClock): Iterator[Effect[B, V]]

  def processingDeadline: Option[Long]
  def keyCount: Long

  /** The windows of all keys that still take messages where the partition has come to. */
  def openWindows(at: Watermark): Iterator[OpenWindow[B]]
  def flush(): Unit
  def readDirectory(in: ByteReader): Unit
  def writeDirectory(out: ByteWriter): Unit
}

/** Windows on offsets: every source partition has windows of its own, driven by its own progress (SEMANTICS R72).
  *
  * @param starts
  *   the first offset of each partition; 0 if it is not there
  * @param make
  *   the windows of a partition that begins at an offset
  */
private[core] final class PartitionedAlgorithm[B, V](
    starts: Map[Long, Long],
    store: Spaces,
    make: (Long, Spaces) => PartitionWindows[B, V])
    extends WindowAlgorithm[B, V] {

  private final class Part(val number: Int, partition: Long) {
    val progress = new PartitionProgress
    val windows  = make(starts.getOrElse(partition, 0L), new NumberedSpaces(store, number))
  }

  private val parts = mutable.TreeMap.empty[SourcePartition, Part]

  private def part(of: SourcePartition): Part = parts.getOrElseUpdate(of, new Part(parts.size, of.number))

  override def begin(progress: Seq[Progress]): Unit =
    progress.foreach(one => part(one.of).progress.add(one.first, one.last))

  override def see(origin: Origin): Unit = part(origin.partition).progress.add(origin.offset, origin.offset)

  override def hasPlace(entry: Entry[B]): Boolean = entry.origin.isDefined

  def add(entry: Entry[B], clock: StepClock, counters: Counters): Iterator[Effect[B, V]] = {
    val origin = entry.origin.get
    val of     = part(origin.partition)
    of.windows.add(entry, origin.offset, of.progress, clock, counters).map(_.of(origin.partition))
  }

  def advance(clock: StepClock, now: Watermark): Iterator[Effect[B, V]] = parts.iterator.flatMap {
    case (partition, part) =>
      val to = if (now.isEnd) now else part.progress.now
      part.windows.advance(part.progress, to, clock).map(_.of(partition)) ++ {
        part.progress.endStep(to); Iterator.empty
      }
  }

  def keyCount: Long                   = parts.values.map(_.windows.keyCount).sum
  def processingDeadline: Option[Long] = parts.values.flatMap(_.windows.processingDeadline).minOption

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = parts.iterator.flatMap { case (of, part) =>
    part.windows.openWindows(part.progress.before).map(_.of(of))
  }

  def flush(): Unit = parts.values.foreach(_.windows.flush())

  def readDirectory(in: ByteReader): Unit = (0 until in.size()).foreach { _ =>
    val of   = SourcePartitionCodec.read(in)
    val part = new Part(in.count().toInt, of.number)
    parts(of) = part
    part.progress.read(in)
    part.windows.readDirectory(in)
  }

  def writeDirectory(out: ByteWriter): Unit = {
    out.count(parts.size.toLong)
    parts.foreach { case (of, part) =>
      SourcePartitionCodec.write(of, out)
      out.count(part.number.toLong)
      part.progress.write(out)
      part.windows.writeDirectory(out)
    }
  }
}
