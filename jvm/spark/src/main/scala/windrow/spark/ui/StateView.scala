package windrow.spark.ui

import org.apache.spark.sql.windrow.{LiveRun, SparkInside}
import windrow.advice.Advice
import windrow.spark.gauges.{StoredWaiting, Waiting}
import windrow.spark.query.StateReader
import windrow.{CheckpointError, SpecError}

/** What the state of a running query shows. Each is missing if the query has several operators, or does not count it.
  *
  * @param waiting
  *   the panes that it will emit
  * @param advice
  *   the lateness of its rows, and the recommended lateness
  */
private[ui] final case class StateView(waiting: Option[Waiting], advice: Option[Advice])

private[ui] object StateView {
  val Unread: StateView = StateView(None, None)

  /** Reads the state with jobs in the query's session, for one user at a time. */
  def read(live: LiveRun): StateView = synchronized(SparkInside.inSession(live.session) {
    StateView(StoredWaiting.of(live.session, live.checkpoint), advice(live))
  })

  private def advice(live: LiveRun): Option[Advice] =
    try Some(new StateReader(live.session, live.checkpoint, None, whole = true).advise(Advice.Share))
    catch { case _: CheckpointError | _: SpecError => None }
}
