package windrow.spark.dedup

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.windrow.SparkInside
import windrow.DedupSpec
import windrow.spark.functions.FunctionSet
import windrow.spark.pack.WholeMessages

/** Sends rows in the order in which Spark's own deduplication reads them, with keys that are equal if they are equal for
  * Spark.
  */
private[dedup] final class ArrivedRows(spec: DedupSpec, functions: FunctionSet, shards: Int)
    extends WholeMessages(
      Some(spec.windows),
      functions,
      shards,
      sortedFor = Some("the first one to arrive is kept"),
      byArrival = true) {
  override def comparable(key: Expression): Expression = SparkInside.deduplicated(key)
}
