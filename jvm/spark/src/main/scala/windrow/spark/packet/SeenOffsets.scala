package windrow.spark.packet

import scala.collection.mutable
import windrow.SourcePartition
import windrow.core.offsets.{OffsetSet, Progress}
import windrow.core.operator.Origin

/** The offsets that a task has seen of each source partition: as ranges without gaps if they are few, otherwise as the
  * first and the last offset (SEMANTICS R72).
  */
private[spark] final class SeenOffsets {
  import SeenOffsets._

  private val partitions = mutable.LinkedHashMap.empty[SourcePartition, PartitionOffsets]

  /** The most recent partition, because rows of one partition follow each other. */
  private var recent: PartitionOffsets = _

  def add(origin: Origin): Unit = {
    if (recent == null || recent.of != origin.partition)
      recent = partitions.getOrElseUpdate(origin.partition, new PartitionOffsets(origin))
    recent.add(origin.offset)
  }

  def all: Seq[Progress] = partitions.values.flatMap(_.progress).toVector
}

private object SeenOffsets {
  private val MostRuns = 64

  /** The maximum number of jumps. For a task with more, only the first and the last offset are kept. */
  private val MostJumps = 1 << 22

  private final class PartitionOffsets(origin: Origin) {
    val of: SourcePartition = origin.partition

    private var least    = origin.offset
    private var greatest = origin.offset
    private var jumps    = 0
    private var earlier  = new OffsetSet

    /** The range that is growing. */
    private var first = origin.offset
    private var last  = origin.offset

    def add(offset: Long): Unit =
      if (offset == last + 1) last = offset
      else if (offset < first || offset > last) {
        least = math.min(least, first)
        greatest = math.max(greatest, last)
        keep()
        first = offset
        last = offset
      }

    private def keep(): Unit = {
      jumps += 1
      if (jumps < MostJumps) earlier.add(first, last) else earlier = new OffsetSet
    }

    def progress: Seq[Progress] = {
      keep()
      val runs = if (jumps < MostJumps) earlier.runs.take(MostRuns + 1).toVector else Vector.empty
      if (runs.nonEmpty && runs.size <= MostRuns)
        runs.map { case (from, to) => Progress(of, from, to) }
      else Seq(Progress(of, math.min(least, first), math.max(greatest, last), isWhole = false))
    }
  }
}
