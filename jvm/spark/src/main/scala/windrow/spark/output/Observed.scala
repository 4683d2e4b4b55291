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
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.unsafe.Platform
import windrow.spark.rows.RowPacket

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
    val columns = (counts.names ++ Open.take(counts.ofWindows)).zipWithIndex.map { case (name, i) =>
      Alias(PacketCount(packet, i), name)()
    }
    val frame = SparkInside.frame(session, Project(packet +: columns, shards))
    val sums  = counts.names.map(name => sum(name).as(name)) ++ (if (counts.windows) openWindows(number) else Nil)
    SparkInside.plan(frame.observe(OutputColumns.metrics(stream), sums.head, sums.tail: _*))
  }

  private val Open = Seq("open", "change", "told", "untold")

  /** Spark's own, for which each task generates code: one of ours would come to the driver with what a task has observed, and
    * where windrow is attached to a running session Spark does not find its class there.
    */
  private def sum(name: String): Column = functions.coalesce(functions.sum(name), functions.lit(0L))

  /** A shard that rests in a batch tells nothing; where the watermark moves none does. */
  private def openWindows(shards: Int): Seq[Column] = Seq(
    functions.when(sum("told") === shards.toLong, sum("open")).as(CountColumns.OpenWindows),
    functions.when(sum("untold") === 0L, sum("change")).as(CountColumns.OpenChange))
}

/** A count of a packet, read where the packet stands: as a value of its own Spark would copy all of it for each count. */
private[spark] final case class PacketCount(child: Expression, number: Int) extends UnaryExpression
    with CodegenFallback {
  override def dataType: DataType = LongType
  override def nullable: Boolean  = false

  override def eval(input: InternalRow): Any = (child, input) match {
    case (BoundReference(column, _, _), row: UnsafeRow) =>
      RowPacket.count(row.getBaseObject, row.getBaseOffset + (row.getLong(column) >>> 32), number)
    case _ => RowPacket.count(child.eval(input).asInstanceOf[Array[Byte]], Platform.BYTE_ARRAY_OFFSET.toLong, number)
  }

  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
}
