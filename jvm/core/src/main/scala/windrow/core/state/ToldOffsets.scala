package windrow.core.state

import java.util.{TreeMap => JTreeMap}

/** Of a source partition, what a step was told before its messages came: runs that the whole stream has seen, and which of
  * these offsets this shard has had. As ranges they count when the step is over; until then only messages that come twice
  * in the step must be known.
  */
private[state] final class ToldOffsets {
  import ToldOffsets._

  private val runs = new JTreeMap[Long, Run]
  private val seen = new OffsetSet

  /** The one that was found last, since offsets come in order for the most part. */
  private var recent: Run = _

  def tell(first: Long, last: Long): Unit = {
    val known = runs.get(first)
    if (known == null || known.last < last) runs.put(first, new Run(first, last))
    recent = null
  }

  /** An offset that lies in a run; false: in none that was told so far. */
  def holds(offset: Long): Boolean = {
    if (recent == null || offset < recent.first || offset > recent.last) {
      val below = runs.floorEntry(offset)
      recent = if (below == null || below.getValue.last < offset) null else below.getValue
    }
    recent != null
  }

  /** Marks an offset that a run holds; false: it came before in this step. */
  def add(offset: Long, place: Long): Boolean = {
    val isNew = seen.add(offset)
    if (isNew && holds(offset)) recent.latest = math.max(recent.latest, place)
    isNew
  }

  /** The step is over.
    *
    * @param hear
    *   a run, and how late its messages that came here may still be taken
    */
  def end(hear: (Long, Long, Long) => Unit): Unit = {
    runs.values.forEach(run => hear(run.first, run.last, run.latest))
    runs.clear()
    seen.clear()
    recent = null
  }
}

private object ToldOffsets {
  final class Run(val first: Long, val last: Long) {
    var latest: Long = AppliedOffsets.NoPlace
  }
}
