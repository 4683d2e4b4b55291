package windrow.spark.ui

import org.apache.spark.sql.windrow.{LiveRun, SparkInside}
import windrow.advice.Advice
import windrow.spark.gauges.{WaitingPanes, WaitingPanesReader}
import windrow.spark.query.StateReader
import windrow.{CheckpointError, SpecError}

/** The content of the state of a running query. Each part is missing if the query does not count it.
  *
  * @param waiting
  *   the panes that it, or one of several operators, will emit
  * @param advice
  *   the lateness of its rows, and the recommended lateness; missing if it has several operators
  */
private[ui] final case class StateView(waiting: Option[WaitingPanes], advice: Option[Advice])

private[ui] object StateView {
  val Unread: StateView = StateView(None, None)

  /** Reads the state with jobs in the query's session, for one user at a time.
    *
    * @param operator
    *   the operator whose panes are counted, if there are several
    */
  def read(live: LiveRun, operator: Option[String]): StateView = synchronized(SparkInside.inSession(live.session) {
    StateView(WaitingPanesReader.of(live.session, live.checkpoint, operator), advice(live))
  })

  private def advice(live: LiveRun): Option[Advice] =
    try Some(new StateReader(live.session, live.checkpoint, None, whole = true).advise(Advice.Share))
    catch { case _: CheckpointError | _: SpecError => None }
}
