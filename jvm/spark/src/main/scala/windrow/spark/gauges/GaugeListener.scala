package windrow.spark.gauges

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.apache.spark.sql.windrow.LiveRuns
import windrow.spark.output.OperatorNames

/** Publishes the counts of running Windrow queries as gauges `windrow.<query>.<figure>` in Spark's metrics system.
  * `<query>` is the name of the query, or its id. The setting `spark.sql.streaming.streamingQueryListeners` adds this
  * listener to every session.
  */
final class GaugeListener extends StreamingQueryListener {
  private val running = new ConcurrentHashMap[UUID, QueryGauges]

  /** Registers the gauges of a Windrow query with zeros, because its first micro-batch can end long after its start. */
  override def onQueryStarted(event: QueryStartedEvent): Unit = for {
    session <- SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession)
    run     <- LiveRuns.of(session).get(event.id, event.runId) if OperatorNames.of(run.plan).nonEmpty
  } gauges(event.runId, event.name, event.id): Unit

  /** Adds the figures of a micro-batch. Registers the gauges of a query that is older than this listener. */
  override def onQueryProgress(event: QueryProgressEvent): Unit = {
    val progress = event.progress
    BatchFigures.of(progress).foreach(gauges(progress.runId, progress.name, progress.id).take)
  }

  private def gauges(runId: UUID, name: String, id: UUID): QueryGauges =
    running.computeIfAbsent(runId, _ => QueryGauges(Option(name), id))

  override def onQueryTerminated(event: QueryTerminatedEvent): Unit =
    Option(running.remove(event.runId)).foreach(_.close())
}

object GaugeListener {

  /** Adds the listener to a session. Repeated calls change nothing. */
  def add(session: SparkSession): Unit =
    if (!session.streams.listListeners().exists(_.isInstanceOf[GaugeListener]))
      session.streams.addListener(new GaugeListener)
}
