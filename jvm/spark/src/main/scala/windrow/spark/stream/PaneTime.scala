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

/** What Spark's own operators behind a query find on its `window` column: that `window_time` takes it, and that it has the
  * query's watermark. A pane on time is not late for them, one after it is.
  */
private[spark] object PaneTime {

  def of(window: Option[WindowKind], shards: LogicalPlan): Metadata = window match {
    case Some(_: Session)                     => marked(SessionWindow.marker, shards)
    case Some(_: AlignedWindows | _: Inherit) => marked(TimeWindow.marker, shards)
    case _                                    => Metadata.empty
  }

  private def marked(kind: String, shards: LogicalPlan): Metadata = {
    val time = new MetadataBuilder().putBoolean(kind, true)
    val passesOn = shards.exists {
      case operator: TransformWithState => operator.timeMode == TimeMode.EventTime
      case _                            => false
    }
    if (passesOn) shards.collectFirst { case mark: EventTimeWatermark => mark.delay }
      .foreach(delay => time.putLong(EventTimeWatermark.delayKey, EventTimeWatermark.getDelayMs(delay)))
    time.build()
  }
}
