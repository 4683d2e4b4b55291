package windrow.spark.stream

import org.apache.spark.sql.catalyst.expressions.SessionWindow
import org.apache.spark.sql.catalyst.expressions.TimeWindow
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.TransformWithState
import org.apache.spark.sql.streaming.TimeMode
import org.apache.spark.sql.types.Metadata
import org.apache.spark.sql.types.MetadataBuilder
import windrow._
import windrow.spark.panes.ChainLag

/** What Spark's own operators behind a query find on its `window` column: that `window_time` takes it, and that it has the
  * query's watermark. A pane on time is not late for them, one after it is.
  */
private[spark] object PaneTime {

  /** @param lag
    *   how far the end of a window may lie behind the watermark of the query, which then says nothing of it
    */
  def of(window: Option[WindowKind], shards: LogicalPlan, lag: ChainLag.Lag): Metadata = window match {
    case Some(_: Session)                     => marked(SessionWindow.marker, shards, lag)
    case Some(_: AlignedWindows | _: Inherit) => marked(TimeWindow.marker, shards, lag)
    case _                                    => Metadata.empty
  }

  private def marked(kind: String, shards: LogicalPlan, lag: ChainLag.Lag): Metadata = {
    val time = new MetadataBuilder().putBoolean(kind, true)
    val passesOn = shards.exists {
      case operator: TransformWithState => operator.timeMode == TimeMode.EventTime
      case _                            => false
    }
    if (passesOn && lag.value == 0) shards.collectFirst { case mark: EventTimeWatermark => mark.delay }
      .foreach(delay => time.putLong(EventTimeWatermark.delayKey, EventTimeWatermark.getDelayMs(delay)))
    time.build()
  }
}
