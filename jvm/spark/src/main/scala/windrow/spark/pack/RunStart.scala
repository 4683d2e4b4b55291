package windrow.spark.pack

import java.util.Collections
import java.util.WeakHashMap
import org.apache.spark.sql.windrow.SparkInside
import scala.collection.concurrent.TrieMap
import windrow.core.time.Watermark

/** Where the watermark of an operator stood when a run began. What has left under a lateness that was shorter (SEMANTICS S2)
  * had done so by then: how far exactly the shards know, while those who pack for them send the rows of whatever is older
  * than the run.
  */
private[pack] object RunStart {
  private val watermarks = Collections.synchronizedMap(new WeakHashMap[AnyRef, TrieMap[String, Watermark]])

  /** @param operator
    *   the name of its metrics; one by the clock has another watermark than those beside it
    * @param now
    *   its own in the micro-batch that this thread is planning
    * @return
    *   of the first that its run has planned; None: which run it is cannot be told
    */
  def watermark(operator: String, now: Watermark): Option[Watermark] =
    SparkInside.planning.map(run =>
      watermarks.computeIfAbsent(run, _ => TrieMap.empty).getOrElseUpdate(operator, now))
}
