package windrow.core.state

import windrow.SourcePartition
import windrow.core.time.EventTime
import scala.collection.mutable
import windrow.core.time.Position

/** Offsets whose messages have had their fate, for each source partition (SEMANTICS R13). It forgets none of them while
  * a window could still take its message.
  *
  * What the whole stream has seen counts as applied, too, once the step is over: it belongs to other shards and will go
  * there again. So a source in order is one range, and only what leaves holes stands in pages in the store.
  */
private[core] final class AppliedOffsets(store: Spaces) {
  import AppliedOffsets._

  private val segments   = new Segments(Space, store)
  private val partitions = mutable.LinkedHashMap.empty[SourcePartition, Partition]

  /** The one that was asked for last: messages of one follow each other. */
  private var recent: Partition = _

  /** Marks an offset as applied; false if it was already.
    *
    * @param place
    *   of the message in time, by which it is refused one day; the least of all numbers if it has none
    */
  def apply(partition: SourcePartition, offset: Long, place: Long): Boolean = of(partition).add(offset, place)

  /** What the step brings to the whole stream. */
  def tell(progress: Iterable[Progress]): Unit = progress.foreach { one =>
    if (one.isWhole) of(one.of).tell(one.first, one.last)
  }

  /** For each source partition the offset after the greatest that was applied. */
  def next: Map[SourcePartition, Long] = partitions.view.mapValues(_.next).toMap

  /** Ends the step.
    *
    * @param isPast
    *   a message of a source that has this place in time is refused from now on
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

  /** Of the store, for what is not in the header. */
  val Space = "offsets"

  /** The place in time of a message that is refused whenever it comes. */
  val NoPlace: Long = EventTime.Min

  /** Of so many source partitions all is known that may be known. */
  private val MostPartitions = 1024

  /** Of short ranges, when there are more than so many, only the highest stay: the others go to pages. A long one, of more
    * than 65,536 offsets, stays.
    */
  private val MostShort = 16
  private val FewShort  = 8

  private final class Partition(val of: SourcePartition, segments: Segments) {
    private val ranges = new OffsetRanges
    private val pages  = new OffsetPages(segments)
    private val told   = new ToldOffsets

    /** After the greatest that was applied. */
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

    /** Not before the step is over: they are new for the shard that they go to. */
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
