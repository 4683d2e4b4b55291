package windrow.spark.gauges

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._

/** Publishes the counts of running Windrow queries as gauges `windrow.<query>.<figure>` in Spark's metrics system.
  * `<query>` is the name of the query, or its id. The setting `spark.sql.streaming.streamingQueryListeners` adds this
  * listener to every session.
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

  /** Adds the listener to a session. Repeated calls change nothing. */
  def add(session: SparkSession): Unit =
    if (!session.streams.listListeners().exists(_.isInstanceOf[GaugeListener]))
      session.streams.addListener(new GaugeListener)
}
