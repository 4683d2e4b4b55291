package windrow.spark.gauges

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._

/** Shows what windrow queries count as gauges `windrow.<query>.<figure>` of Spark's metrics system, while they run. The
  * query is its name, or its id. Spark adds it to every session by the setting
  * `spark.sql.streaming.streamingQueryListeners`.
  */
final class GaugeListener extends StreamingQueryListener {
  private val running = new ConcurrentHashMap[UUID, QueryGauges]

  override def onQueryStarted(event: QueryStartedEvent): Unit = ()

  override def onQueryProgress(event: QueryProgressEvent): Unit = {
    val progress = event.progress
    BatchFigures.of(progress).foreach(figures =>
      running.computeIfAbsent(progress.runId, _ => QueryGauges(Option(progress.name), progress.id)).take(figures))
  }

  override def onQueryTerminated(event: QueryTerminatedEvent): Unit =
    Option(running.remove(event.runId)).foreach(_.close())
}

object GaugeListener {

  /** Has a session publish from now on; again is harmless. */
  def add(session: SparkSession): Unit =
    if (!session.streams.listListeners().exists(_.isInstanceOf[GaugeListener]))
      session.streams.addListener(new GaugeListener)
}
