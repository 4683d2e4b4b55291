package windrow.spark.output

import java.util.Locale
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.functions
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.windrow.SparkInside
import windrow.Reason
import windrow.spark.pack.Unpack

/** What shards have counted, and rejected messages by their reason: they reach `StreamingQueryProgress.observedMetrics`
  * whoever reads the rows (SEMANTICS R74).
  */
private[spark] object Observed {

  /** The rows that shards give.
    *
    * @param stream
    *   under whose name they are observed
    * @param shards
    *   rows of some types, packed; the first says their kind
    * @param counts
    *   the columns of counts, and where they begin
    * @param rejected
    *   the kind of rejected messages, and where they have their reason
    */
  def apply(
      session: SparkSession,
      stream: String,
      shards: LogicalPlan,
      types: Seq[DataType],
      counts: (CountColumns, Int),
      rejected: (Int, Int)): LogicalPlan = {
    val columns = types.map(AttributeReference("column", _)())
    val named   = AttributeMap(columns.drop(counts._2).zip(counts._1.names).map { case (c, as) => c -> Alias(c, as)() })
    val reason = If(EqualTo(columns.head, Literal(rejected._1)), columns(rejected._2), Literal.create(null, StringType))
    val frame = SparkInside.frame(
      session,
      Project(
        columns.map(column => named.getOrElse(column, column)) :+ Alias(reason, "reason")(),
        Unpack(shards.output.head, columns, shards)))
    val sums = counts._1.names.map(as => functions.coalesce(functions.sum(as), functions.lit(0L)).as(as))
    val lost = Reason.All.map(_.toString).map(one =>
      functions.count_if(functions.col("reason") === one).as(one.toLowerCase(Locale.ROOT)))
    SparkInside.plan(frame.observe(OutputColumns.metrics(stream), sums.head, sums.tail ++ lost: _*))
  }
}
