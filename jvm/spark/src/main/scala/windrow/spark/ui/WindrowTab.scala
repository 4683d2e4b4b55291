package windrow.spark.ui

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.windrow.{LiveRuns, SparkHistoryTab, SparkPage, SparkTab, StoredRuns}
import org.slf4j.LoggerFactory
import scala.util.control.NonFatal

/** The tab "Windrow" in Spark's UI. It reads the progress that Spark's UI stores for its own tab "Structured
  * Streaming", so it needs neither a setting nor memory of its own.
  */
private[spark] object WindrowTab {

  /** Adds the tab to the UI of the session's driver. Repeated calls change nothing. A vendor's UI may differ from
    * Spark's, which must not fail a query.
    */
  def attach(session: SparkSession): Unit =
    try SparkTab.attach(session)(pages)
    catch {
      case failed @ (NonFatal(_) | _: LinkageError) =>
        LoggerFactory.getLogger(getClass).warn("Spark's UI cannot show the tab of Windrow.", failed)
    }

  private[ui] def pages(stored: StoredRuns, live: LiveRuns): Seq[SparkPage] =
    Seq(new RunsPage(() => RunView.all(stored, live)), new RunPage(RunView.find(stored, live, _)))
}

/** The tab in Spark's history server, which finds this class as a service. */
final class HistoryTab extends SparkHistoryTab {
  protected def isShown(runs: StoredRuns): Boolean      = RunView.all(runs, LiveRuns.None).nonEmpty
  protected def pages(runs: StoredRuns): Seq[SparkPage] = WindrowTab.pages(runs, LiveRuns.None)
}
