package windrow.spark.output

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.unsafe.Platform
import windrow.spark.pack.LongSum
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
    val packet           = shards.output.head
    def sum(number: Int) = LongSum.of(PacketCount(packet, number))
    val sums             = counts.names.zipWithIndex.map { case (name, i) => Alias(sum(i), name)() }
    val open             = if (counts.windows) openWindows(i => sum(counts.names.size + i), number) else Nil
    SparkInside.observed(session, OutputColumns.metrics(stream), sums ++ open, shards)
  }

  /** A shard that rests in a batch tells nothing; where the watermark moves none does.
    *
    * @param sum
    *   of open windows, how many more they are, shards that know both, shards that do not
    */
  private def openWindows(sum: Int => Expression, shards: Int): Seq[Alias] = {
    val (told, untold)                                  = (sum(2), sum(3))
    def where(condition: Expression, value: Expression) = If(condition, value, Literal.create(null, LongType))
    Seq(
      Alias(where(EqualTo(told, Literal(shards.toLong)), sum(0)), CountColumns.OpenWindows)(),
      Alias(where(EqualTo(untold, Literal(0L)), sum(1)), CountColumns.OpenChange)())
  }
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
