package windrow.spark.state

import java.util.Collections
import java.util.WeakHashMap
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.windrow.SparkInside
import scala.util.Try
import windrow.TimeSpan
import windrow.core.operator.HeaderStart

/** What had left of windows when a run began, under a lateness that was shorter (SEMANTICS S2). The shards know it by
  * themselves; those who pack for them ask here, once in a run.
  */
private[spark] object LeftWindows {
  private val headersOf = Collections.synchronizedMap(new WeakHashMap[AnyRef, Option[Seq[Array[Byte]]]])

  /** For the run whose micro-batch this thread is planning: windows that end here or before had left, [[Long.MinValue]] if
    * none had; None if it cannot be told.
    */
  def upTo(session: SparkSession, lateness: TimeSpan): Option[Long] = for {
    (run, checkpoint) <- SparkInside.planning
    headers <- headersOf.computeIfAbsent(
      run,
      _ => Try(SparkInside.aside(session)(Checkpoint.headers(session, checkpoint))).toOption)
    left <- Try(headers.map(HeaderStart.watermark(_, lateness).left).maxOption.getOrElse(Long.MinValue)).toOption
  } yield left
}
