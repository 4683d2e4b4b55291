package windrow.spark.ui

import org.apache.spark.sql.functions
import org.apache.spark.sql.windrow.{LiveRun, SparkInside}
import windrow.advice.Advice
import windrow.spark.gauges.Waiting
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
    def reader(whole: Boolean) = new StateReader(live.session, live.checkpoint, None, whole)
    StateView(known(waiting(reader(whole = false))), known(reader(whole = true).advise(Advice.Share)))
  })

  private def waiting(state: StateReader): Waiting = {
    val panes = state.pending()
    def least(name: String) =
      if (panes.columns.contains(name)) functions.unix_micros(functions.min(name))
      else functions.lit(null).cast("bigint")
    val row = panes.agg(functions.count("*"), least("watermark"), least("processing_time")).head()
    Waiting(
      row.getLong(0),
      Option.unless(row.isNullAt(1))(row.getLong(1)),
      Option.unless(row.isNullAt(2))(row.getLong(2)),
      Waiting.kind(panes.columns.toSeq))
  }

  private def known[T](read: => T): Option[T] =
    try Some(read)
    catch { case _: CheckpointError | _: SpecError => None }
}
