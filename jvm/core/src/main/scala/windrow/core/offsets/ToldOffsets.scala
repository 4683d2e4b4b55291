package windrow.core.offsets

import java.util.{TreeMap => JTreeMap}
import windrow.core.time.EventTime

/** Runs of offsets of a source partition that some shard of the stream has seen in this step, known before their
  * messages arrive, and the offsets among them that this shard has received. They count as applied only when the step
  * is over. Until then, only duplicates within the step must be recognized.
  */
private[offsets] final class ToldOffsets {
  import ToldOffsets._

  private val runs = new JTreeMap[Long, Run]
  private val seen = new OffsetSet

  /** The run of the last lookup, because offsets mostly arrive in order. */
  private var recent: Run = _

  def tell(first: Long, last: Long): Unit = {
    val known = runs.get(first)
    if (known == null || known.last < last) runs.put(first, new Run(first, last))
    recent = null
  }

  /** Whether an offset is in a run that has been announced so far. */
  def holds(offset: Long): Boolean = {
    if (recent == null || offset < recent.first || offset > recent.last) {
      val below = runs.floorEntry(offset)
      recent = if (below == null || below.getValue.last < offset) null else below.getValue
    }
    recent != null
  }

  /** Marks an offset that is in a run; returns false if it arrived before in this step. */
  def add(offset: Long, place: Long): Boolean = {
    val isNew = seen.add(offset)
    if (isNew && holds(offset)) recent.latest = math.max(recent.latest, place)
    isNew
  }

  /** Ends the step.
    *
    * @param hear
    *   receives first and last offset of each run, and the greatest place in time of its messages in this shard
    */
  def end(hear: (Long, Long, Long) => Unit): Unit = {
    runs.values.forEach(run => hear(run.first, run.last, run.latest))
    runs.clear()
    seen.clear()
    recent = null
  }
}

private[offsets] object ToldOffsets {

  /** The place in time of a message that is always rejected. */
  val NoPlace: Long = EventTime.Min

  final class Run(val first: Long, val last: Long) {
    var latest: Long = NoPlace
  }
}
