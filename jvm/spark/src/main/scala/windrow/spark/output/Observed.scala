package windrow.spark.output

import org.apache.spark.sql.Column
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.functions
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.rows.RowPacket
import windrow.spark.rows.Rows

/** What shards have counted reaches `StreamingQueryProgress.observedMetrics` whoever reads the rows (SEMANTICS R74). It is
  * summed packet by packet: a pane pays nothing for it.
  */
private[spark] object Observed {

  /** The packets that shards give, one binary column.
    *
    * @param stream
    *   under whose name they are observed
    * @param number
    *   of shards, all of which must tell how many windows are open
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

  private val Open = Seq("open", "change", "told", "untold")

  /** A shard that rests in a batch tells nothing; where the watermark moves none does. */
  private def openWindows(sums: CountSums, shards: Int): Seq[Column] = Seq(
    functions.when(sums.of("told") === shards.toLong, sums.of("open")).as(CountColumns.OpenWindows),
    functions.when(sums.of("untold") === 0L, sums.of("change")).as(CountColumns.OpenChange))
}

/** The counts of a packet, read where the packet stands. */
private[spark] final case class PacketCounts(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = CountSums.Counts
  override def nullable: Boolean  = false

  override def eval(input: InternalRow): Any =
    UnsafeArrayData.fromPrimitiveArray(RowPacket.counts(Rows.binary(input, child)))

  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
}
