package windrow.spark.join

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside
import windrow.core.operator.Origin
import windrow.core.state.ByteWriter
import windrow.spark.pack.Packer
import windrow.spark.pack.PacketWriter
import windrow.spark.pack.SeenOffsets
import windrow.spark.pack.ShardOf

/** Packs the messages of one stream of a join by shard; see [[JoinPack]]. */
final case class JoinPackExec(packing: JoinPacking, output: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numMessages"   -> SQLMetrics.createMetric(sparkContext, "number of messages"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  protected override def doExecute(): RDD[InternalRow] = {
    val (messages, rows)  = (longMetric("numMessages"), longMetric("numOutputRows"))
    val (program, schema) = (packing, child.output)
    child.execute().mapPartitions { input =>
      val packer = new JoinPacker(program, schema)
      new PacketWriter(packer, program.shards).all(input, packer, _ => messages += 1)
        .map { row => rows += 1; row }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

object JoinPackExec {
  def apply(pack: JoinPack, child: SparkPlan): JoinPackExec = JoinPackExec(
    JoinPacking(
      pack.stream,
      pack.name,
      pack.keys.map(SparkInside.normalized),
      pack.time,
      pack.sender,
      CreateStruct(pack.message),
      pack.end,
      pack.shards),
    pack.output,
    child)
}

/** What a task needs of a [[JoinPack]]. */
final case class JoinPacking(
    stream: Int,
    name: String,
    keys: Seq[Expression],
    time: Expression,
    sender: Seq[Expression],
    message: Expression,
    end: Seq[Expression],
    shards: Int)

/** Writes rows as entries of [[JoinEntry]]. */
private final class JoinPacker(packing: JoinPacking, schema: Seq[Attribute]) extends Packer {
  private val key     = UnsafeProjection.create(packing.keys, schema)
  private val message = UnsafeProjection.create(Seq(packing.message), schema)
  private val fields  = UnsafeProjection.create(packing.time +: packing.sender, schema)
  private val width   = packing.message.dataType.asInstanceOf[StructType].size

  private var lastKey: UnsafeRow = _

  val isEnd: InternalRow => Boolean = Packer.isEnd(packing.end, schema)

  def notices: Seq[Array[Byte]] = Packer.notice(seen, goesByOffsets = false)

  /** The offsets of what was written. */
  private val seen = new SeenOffsets

  def shard(row: InternalRow): Int = {
    lastKey = key(row)
    ShardOf(lastKey, packing.shards)
  }

  def write(row: InternalRow, out: ByteWriter): Array[Byte] = {
    val values = fields(row)
    val time   = Option.unless(values.isNullAt(0))(values.getLong(0))
    val from = Option.when(packing.sender.nonEmpty && !values.isNullAt(1) && !values.isNullAt(2))(
      Origin(packing.name, values.getLong(1), values.getLong(2)))
    from.foreach(seen.add)
    JoinEntry.write(out, packing.stream, lastKey, time, from, message(row).getStruct(0, width))
    null
  }
}
