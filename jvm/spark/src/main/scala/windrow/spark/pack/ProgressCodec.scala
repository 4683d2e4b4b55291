package windrow.spark.pack

import java.nio.charset.StandardCharsets.UTF_8
import scala.collection.immutable.TreeMap
import scala.collection.mutable
import windrow.core.operator.Origin
import windrow.core.operator.Progress
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** Which offsets a task has seen, as runs without holes. Many runs of a partition become one, from its first to its last
  * offset: then the offsets between count as seen (SEMANTICS R72).
  */
private[pack] final class SeenOffsets {
  private val runs = mutable.LinkedHashMap.empty[(String, Long), TreeMap[Long, Long]]

  def add(origin: Origin): Unit = {
    val of    = (origin.source, origin.partition)
    val known = runs.getOrElse(of, TreeMap.empty[Long, Long])
    if (!known.rangeTo(origin.offset).lastOption.exists(_._2 >= origin.offset)) {
      val joined = SeenOffsets.joined(known, origin.offset)
      runs(of) =
        if (joined.size <= SeenOffsets.MostRuns) joined else TreeMap(joined.head._1 -> joined.last._2)
    }
  }

  def isEmpty: Boolean = runs.isEmpty

  def write(out: ByteWriter): Unit = {
    val all = for { (of, found) <- runs.toSeq; run <- found.toSeq } yield (of, run)
    out.count(all.size.toLong)
    all.foreach { case ((source, partition), (first, last)) =>
      out.bytes(source.getBytes(UTF_8))
      out.long(partition)
      out.long(first)
      out.long(last)
    }
  }
}

private object SeenOffsets {
  private val MostRuns = 64

  /** With an offset that is in none of the runs. */
  private def joined(runs: TreeMap[Long, Long], offset: Long): TreeMap[Long, Long] = {
    val below = runs.rangeTo(offset).lastOption.filter(_._2 == offset - 1)
    val above = runs.get(offset + 1)
    (runs - (offset + 1)).updated(below.fold(offset)(_._1), above.getOrElse(offset))
  }
}

/** A packet that tells a shard what the step brings to the whole stream. */
object ProgressCodec {
  private[pack] def packet(seen: SeenOffsets): Array[Byte] = {
    val out = new ByteWriter
    out.byte(PacketFlag.Progress)
    seen.write(out)
    out.result()
  }

  def isProgress(packet: Array[Byte]): Boolean = (packet(0) & PacketFlag.Progress) != 0

  def read(packet: Array[Byte]): Seq[Progress] = {
    val in = ByteReader(packet)
    in.byte()
    Seq.fill(in.count().toInt)(Progress(new String(in.bytes(), UTF_8), in.long(), in.long(), in.long()))
  }
}
