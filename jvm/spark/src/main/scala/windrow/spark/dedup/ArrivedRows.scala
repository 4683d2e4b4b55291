package windrow.spark.dedup

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.windrow.SparkInside
import windrow.DedupSpec
import windrow.core.time.Watermark
import windrow.spark.functions.FunctionSet
import windrow.spark.pack.{Pack, PackRecipe, ShuffleMode}

/** Sends rows in the order in which Spark's own deduplication reads them, with keys that are equal if they are equal for
  * Spark.
  */
private[dedup] final class ArrivedRows(spec: DedupSpec, functions: FunctionSet, shards: Int)
    extends PackRecipe(
      Some(spec.windows),
      functions,
      shards,
      ShuffleMode(Some("the first one to arrive is kept"), ordered = false, whole = true, byArrival = true),
      None) {

  override def comparable(key: Expression): Expression = SparkInside.deduplicated(key)

  def travel(pack: Pack): String = shuffle.inWords

  def planned(
      pack: Pack,
      keys: Seq[Expression],
      watermark: Option[Watermark],
      later: LogicalPlan => SparkPlan): SparkPlan = each(pack, keys, Literal(true), later)
}
