package windrow.spark.output

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Column, SparkSession, functions}
import windrow.spark.rows.{RowPacket, Rows}

/** Reports the counts of the shards in `StreamingQueryProgress.observedMetrics`, regardless of which rows are read
  * (SEMANTICS R74). Sums the counts of packets, so that a pane costs nothing.
  */
private[spark] object ObservedCounts {

  /** Adds the observation to the packets of shards, which are one binary column.
    *
    * @param stream
    *   the name under which the counts are observed
    * @param number
    *   the number of shards. All of them must report their open windows.
    */
  def apply(
      session: SparkSession,
      stream: String,
      shards: LogicalPlan,
      counts: CountColumns,
      number: Int = 1): LogicalPlan = {
    val packet = shards.output.head
    val each   = Alias(PacketCounts(packet), "counts")()
    val frame  = SparkInside.frame(session, Project(Seq(packet, each), shards))
    val sums   = new CountSums(each.toAttribute, counts.names ++ Open.take(counts.ofWindows))
    val others = counts.names.tail.map(name => sums.of(name).as(name))
    val open   = if (counts.windows) openWindows(sums, number) else Nil
    SparkInside.plan(frame.observe(OutputColumns.metrics(stream), sums.first.as(counts.names.head), others ++ open: _*))
  }

  private val Open = Seq("open", "change", "known", "unknown")

  /** Sums the open windows. A shard that is idle in a micro-batch reports nothing. If the watermark advances, no shard
    * is idle.
    */
  private def openWindows(sums: CountSums, shards: Int): Seq[Column] = Seq(
    functions.when(sums.of("known") === shards.toLong, sums.of("open")).as(CountColumns.OpenWindows),
    functions.when(sums.of("unknown") === 0L, sums.of("change")).as(CountColumns.OpenChange))
}

/** Reads the counts of a packet without copying the packet. */
private[spark] final case class PacketCounts(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = CountSums.Counts
  override def nullable: Boolean  = false

  override def eval(input: InternalRow): Any =
    UnsafeArrayData.fromPrimitiveArray(RowPacket.counts(Rows.binary(input, child)))

  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
}
