package windrow.spark.pack

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{BaseEvalPython, LogicalPlan}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import windrow.spark.watermark.{FusedWatermark, PartitionTimes}

/** Plans Windrow's own nodes. */
final case class PackStrategy(session: SparkSession) extends SparkStrategy {

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case rows: Unpack =>
      UnpackExec(rows.packet, rows.kinds, rows.output, rows.takesPassed, planLater(rows.child)) :: Nil
    case PassRejected(packet, from, to, child) => PassRejectedExec(packet, from, to, planLater(child)) :: Nil
    case WriteRejected(folder, operator, rejected, packet, child) =>
      WriteRejectedExec(folder, operator, rejected, packet, planLater(child)) :: Nil
    case Packets(packet, objects, dropped, child) => PacketsExec(packet, objects, dropped, planLater(child)) :: Nil
    case CallShards(shards, child)                => CallShardsExec(shards, planLater(child)) :: Nil
    case SortStep(shard, place, child)            => SortStepExec(shard, place, planLater(child)) :: Nil
    case pack: PackNode            => pack.planned(session, below => planLater(FusedWatermark.in(below))) :: Nil
    case watermark: FusedWatermark => FusedWatermark.planned(watermark, planLater(watermark.child)) :: Nil
    case times: PartitionTimes     => FusedWatermark.planned(session, times, planLater(times.child)) :: Nil
    case TimeGate(_, child)        => planLater(child) :: Nil
    case python: BaseEvalPython    => TimeGate.planned(python, planLater).toSeq
    case _                         => Nil
  }
}
