package windrow.spark.stream

import org.apache.spark.sql.catalyst.expressions.TimeWindow
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, TransformWithState}
import org.apache.spark.sql.streaming.TimeMode
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}
import windrow.WindowFamily._
import windrow.WindowKind
import windrow.spark.panes.ChainLag

/** Adds the metadata of the `window` column that Spark's own later operators need: `window_time` accepts the column,
  * and it has the query's watermark. A pane that is on time is not late for them; a later pane is.
  *
  * Sessions are marked as windows of fixed size, because an aggregation of Spark merges the overlapping windows of a
  * column that is marked as `session_window`: a session with the session that replaces it.
  */
private[spark] object PaneTime {

  /** Returns the metadata.
    *
    * @param lag
    *   how far the end of a window may be below the watermark of the query. The watermark is omitted unless this is 0.
    */
  def of(window: Option[WindowKind], shards: LogicalPlan, lag: ChainLag.Lag): Metadata =
    window.map(_.family).fold(Metadata.empty) {
      case _: GapFamily | _: Aligned | _: Inherited | _: Several => marked(shards, lag)
      case SingleWindow | _: Run | _: Numbered | _: OffsetFamily => Metadata.empty
    }

  private def marked(shards: LogicalPlan, lag: ChainLag.Lag): Metadata = {
    val time = new MetadataBuilder().putBoolean(TimeWindow.marker, true)
    val passesOn = shards.exists {
      case operator: TransformWithState => operator.timeMode == TimeMode.EventTime
      case _                            => false
    }
    if (passesOn && lag.value == 0) shards.collectFirst { case mark: EventTimeWatermark => mark.delay }
      .foreach(delay => time.putLong(EventTimeWatermark.delayKey, EventTimeWatermark.getDelayMs(delay)))
    time.build()
  }
}
