package windrow.core.operator
package partitioned

import scala.collection.mutable
import windrow.SourcePartition
import windrow.core.offsets.{Progress, SourcePartitionCodec}
import windrow.core.state._
import windrow.core.time.{Axis, Front, Offset, StepClock, Watermark}

/** The windows of all keys on the offsets of one source partition. */
private[core] trait PartitionWindows[B, V] extends StatePart {
  def add(
      entry: Entry[B],
      offset: Offset,
      progress: PartitionProgress,
      clock: StepClock,
      counters: Counters,
      out: Out[Effect[B, V]]): Unit

  /** Ends a step.
    *
    * @param now
    *   progress of the partition after this step
    */
  def advance(progress: PartitionProgress, now: Front[Axis.Offset], clock: StepClock): Iterator[Part[Effect[B, V]]]

  def processingDeadline: Option[Long]
  def keyCount: Long

  /** The windows of all keys that still accept messages at this progress. */
  def openWindows(at: Front[Axis.Offset]): Iterator[OpenWindow[B]]

  /** Their number; None if only reading them would reveal it. */
  def openCount: Option[Long] = None
}

/** Windows on offsets. Every source partition has its own windows, driven by its own progress (SEMANTICS R72).
  *
  * @param starts
  *   the first offset of each partition; 0 if absent
  * @param make
  *   creates the windows of a partition that starts at an offset
  */
private[core] final class PartitionedAlgorithm[B, V](
    starts: Map[Long, Long],
    store: Spaces,
    make: (Long, Spaces) => PartitionWindows[B, V])
    extends WindowAlgorithm[B, V] {

  private final class Partition(val number: Int, partition: Long) {
    val progress = new PartitionProgress
    val windows  = make(starts.getOrElse(partition, 0L), new NumberedSpaces(store, number))
  }

  /** Partitions that have had a message; never removed. Stored in the checkpoint. */
  private val partitions = mutable.TreeMap.empty[SourcePartition, Partition]

  private def partition(of: SourcePartition): Partition =
    partitions.getOrElseUpdate(of, new Partition(partitions.size, of.number))

  override def begin(progress: Seq[Progress]): Unit =
    progress.foreach(one => partition(one.of).progress.add(one.first, one.last))

  override def see(origin: Origin): Unit = partition(origin.partition).progress.add(origin.offset, origin.offset)

  override def hasPlace(entry: Entry[B]): Boolean = entry.origin.isDefined

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit = {
    val origin = entry.origin.get
    val of     = partition(origin.partition)
    if (clock.before.isEnd) of.progress.endStep(Front.end) // a new partition has ended, too (SEMANTICS R71)
    of.windows.add(entry, Offset(origin.offset), of.progress, clock, counters, out.taking(_.of(origin.partition)))
  }

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] = partitions.iterator.flatMap {
    case (of, partition) =>
      val to = if (now.isEnd) Front.end[Axis.Offset] else partition.progress.now
      partition.windows.advance(partition.progress, to, clock).map(_.as(_.of(of))) ++
        Part.silent(partition.progress.endStep(to))
  }

  def keyCount: Long                   = partitions.values.map(_.windows.keyCount).sum
  def processingDeadline: Option[Long] = partitions.values.flatMap(_.windows.processingDeadline).minOption

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = partitions.iterator.flatMap { case (of, partition) =>
    partition.windows.openWindows(partition.progress.before).map(_.of(of))
  }

  override def openCount(before: Option[Long]): Option[Long] =
    partitions.values.foldLeft(Option(0L))((sum, one) => for (all <- sum; own <- one.windows.openCount) yield all + own)

  override def flush(): Unit = partitions.values.foreach(_.windows.flush())

  def readDirectory(in: ByteReader): Unit = (0 until in.size()).foreach { _ =>
    val of        = SourcePartitionCodec.read(in)
    val partition = new Partition(in.count().toInt, of.number)
    partitions(of) = partition
    partition.progress.read(in)
    partition.windows.readDirectory(in)
  }

  def writeDirectory(out: ByteWriter): Unit = {
    out.count(partitions.size.toLong)
    partitions.foreach { case (of, partition) =>
      SourcePartitionCodec.write(of, out)
      out.count(partition.number.toLong)
      partition.progress.write(out)
      partition.windows.writeDirectory(out)
    }
  }
}
