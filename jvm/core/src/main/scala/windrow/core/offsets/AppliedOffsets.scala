package windrow.core.offsets

import scala.collection.mutable
import windrow.SourcePartition
import windrow.core.state.{ByteReader, ByteWriter, Segments, Space, Spaces}
import windrow.core.time.Position

/** The offsets of each source partition whose messages have been processed, so that duplicates are recognized
  * (SEMANTICS R13). It forgets an offset only when no window could accept its message anymore.
  *
  * After a step, offsets that any shard of the stream has seen count as applied, too: their messages belong to other
  * shards and would be sent there again. A source that is read in order is therefore a single range, and only ranges
  * with holes are stored as pages.
  */
private[core] final class AppliedOffsets(store: Spaces) {
  import AppliedOffsets._

  private val segments   = new Segments(Space, store)
  private val partitions = mutable.LinkedHashMap.empty[SourcePartition, Partition]

  /** The partition of the last lookup, because consecutive messages usually share a partition. */
  private var recent: Partition = _

  /** Marks an offset as applied; returns false if it already was.
    *
    * @param place
    *   place of the message in time, which decides when it becomes too late; `NoPlace` if it has none
    */
  def apply(partition: SourcePartition, offset: Long, place: Long): Boolean = of(partition).add(offset, place)

  /** Records offsets that the step brings to all shards of the stream. */
  def tell(progress: Iterable[Progress]): Unit = progress.foreach { one =>
    if (one.isWhole) of(one.of).tell(one.first, one.last)
  }

  /** For each source partition, the offset after the greatest applied one. */
  def next: Map[SourcePartition, Long] = partitions.view.mapValues(_.next).toMap

  /** Ends the step.
    *
    * @param isPast
    *   whether a message of this source with this place in time is rejected from now on
    */
  def flush(isPast: (String, Long) => Boolean): Unit = {
    partitions.values.foreach(one => one.flush(isPast(one.of.source, _)))
    if (partitions.size > MostPartitions) {
      val past = partitions.filter { case (_, one) => one.isOver(isPast(one.of.source, _)) }
      past.take(partitions.size - MostPartitions).foreach { case (of, one) =>
        one.drop()
        partitions -= of
      }
      recent = null
    }
  }

  private def of(partition: SourcePartition): Partition = {
    if (recent == null || recent.of != partition)
      recent = partitions.getOrElseUpdate(partition, new Partition(partition, segments))
    recent
  }

  def read(in: ByteReader): Unit = {
    segments.readDirectory(in)
    (0L until in.count()).foreach(_ => of(SourcePartitionCodec.read(in)).read(in))
  }

  def write(out: ByteWriter): Unit = {
    segments.writeDirectory(out)
    out.count(partitions.size.toLong)
    partitions.values.foreach(_.write(out))
  }
}

private[core] object AppliedOffsets {

  /** The space of the store for pages; ranges are in the header. */
  val Space = "offsets"

  /** The place in time of a message that is always rejected. */
  val NoPlace: Long = ToldOffsets.NoPlace

  /** Partitions beyond this number are forgotten once all of their messages would be too late. */
  private val MostPartitions = 1024

  /** With more short ranges than this, only the highest ones stay in the header and the others move to pages. Long
    * ranges, of more than 65,536 offsets, always stay.
    */
  private val MostShort = 16
  private val FewShort  = 8

  /** The applied offsets of one source partition. */
  private final class Partition(val of: SourcePartition, segments: Segments) {
    private val ranges = new OffsetRanges
    private val pages  = new OffsetPages(segments)
    private val told   = new ToldOffsets

    /** The offset after the greatest applied one. */
    var next: Long = Position.Least

    def add(offset: Long, place: Long): Boolean = {
      val isNew = !ranges.contains(offset) && !pages.contains(offset)
      if (!isNew) false
      else if (told.holds(offset)) told.add(offset, place)
      else {
        if (!ranges.extend(offset, place)) pages.add(offset, place)
        reach(offset)
        true
      }
    }

    private def reach(offset: Long): Unit = next = math.max(next, Position.plus(offset, 1))

    /** These offsets count only when the step is over: the shards that receive their messages in this step must see
      * them as new.
      */
    def tell(first: Long, last: Long): Unit = told.tell(first, last)

    def flush(isPast: Long => Boolean): Unit = {
      told.end { (first, last, latest) =>
        ranges.add(first, last, latest)
        reach(last)
      }
      pages.giveTo(ranges)
      val short = ranges.all.filterNot(_.isLong).toVector
      if (short.size > MostShort) short.dropRight(FewShort).foreach { range =>
        ranges.remove(range)
        pages.add(range.first, range.last, range.latest)
      }
      pages.flush()
      pages.forget(isPast)
    }

    def isOver(isPast: Long => Boolean): Boolean =
      ranges.all.forall(range => isPast(range.latest)) && pages.areAll(isPast)

    def drop(): Unit = pages.dropAll()

    def read(in: ByteReader): Unit = {
      next = in.long()
      (0L until in.count()).foreach { _ =>
        val first = in.long()
        ranges.add(first, first + in.count(), in.long())
      }
      pages.readDirectory(in)
    }

    def write(out: ByteWriter): Unit = {
      SourcePartitionCodec.write(of, out)
      out.long(next)
      out.count(ranges.all.size.toLong)
      ranges.all.foreach { range =>
        out.long(range.first)
        out.count(range.last - range.first)
        out.long(range.latest)
      }
      pages.writeDirectory(out)
    }
  }
}
