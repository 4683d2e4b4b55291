package windrow.spark.pack

import java.util.{Collections, WeakHashMap}
import org.apache.spark.sql.windrow.SparkInside
import scala.collection.concurrent.TrieMap
import windrow.core.time.Watermark

/** Records the watermark of each operator at the start of a run. Windows that left under a shorter lateness (SEMANTICS
  * S2) had left by then. The shards know up to which watermark exactly. Tasks that pack rows do not, so they send the
  * original columns of every row that is older than the start of the run.
  */
private[pack] object RunStart {
  private val watermarks = Collections.synchronizedMap(new WeakHashMap[AnyRef, TrieMap[String, Watermark]])

  /** Returns the watermark of the first micro-batch that the run has planned, or None if the run is unknown.
    *
    * @param operator
    *   the name of the operator's metrics. An operator whose watermark follows processing time has another watermark
    *   than the other operators of the query.
    * @param now
    *   the operator's watermark in the micro-batch that this thread is planning
    */
  def watermark(operator: String, now: Watermark): Option[Watermark] =
    SparkInside.planning.map(run =>
      watermarks.computeIfAbsent(run, _ => TrieMap.empty).getOrElseUpdate(operator, now))
}
