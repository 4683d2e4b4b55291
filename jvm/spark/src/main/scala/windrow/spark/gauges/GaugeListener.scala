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
  import GaugeListener.Run

  /** The newest run of each query. */
  private val running = new ConcurrentHashMap[UUID, Run]

  /** Registers the gauges of a Windrow query with zeros, because its first micro-batch can end long after its start. */
  override def onQueryStarted(event: QueryStartedEvent): Unit = for {
    session <- SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession)
    run     <- LiveRuns.of(session).get(event.id, event.runId) if OperatorNames.of(run.plan).nonEmpty
  } started(event.id, event.runId, Option(event.name))

  /** Replaces the gauges of an earlier run. Spark reports the start of a run at once, but the end of a run later. */
  private[gauges] def started(id: UUID, run: UUID, name: Option[String]): Unit =
    running.compute(
      id,
      (_, before) => {
        Option(before).foreach(_.gauges.close())
        Run(run, QueryGauges(name, id))
      }): Unit

  /** Adds the figures of a micro-batch. Registers the gauges of a query that is older than this listener. */
  override def onQueryProgress(event: QueryProgressEvent): Unit = {
    val progress = event.progress
    BatchFigures.of(progress).foreach { figures =>
      val run = running.computeIfAbsent(
        progress.id,
        id => Run(progress.runId, QueryGauges(Option(progress.name), id)))
      if (run.id == progress.runId) run.gauges.take(figures)
    }
  }

  override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ended(event.id, event.runId)

  /** Removes the gauges of a run, unless a later run of the query has replaced them. */
  private[gauges] def ended(id: UUID, run: UUID): Unit =
    Option(running.get(id)).filter(_.id == run).foreach { one =>
      running.remove(id, one)
      one.gauges.close()
    }
}

object GaugeListener {
  private final case class Run(id: UUID, gauges: QueryGauges)

  /** Adds the listener to a session. Repeated calls change nothing. */
  def add(session: SparkSession): Unit =
    if (!session.streams.listListeners().exists(_.isInstanceOf[GaugeListener]))
      session.streams.addListener(new GaugeListener)
}
