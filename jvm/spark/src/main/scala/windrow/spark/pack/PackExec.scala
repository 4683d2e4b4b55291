package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.unsafe.hash.Murmur3_x86_32
import windrow.spark.packet.{Packer, PacketWriter, RowWriter, SortedPacketWriter}

/** Computes the shard of a key. Fixed for the lifetime of a checkpoint. */
private[spark] object ShardHash {
  def apply(key: UnsafeRow, shards: Int): Int = Math.floorMod(
    Murmur3_x86_32.hashUnsafeBytes(key.getBaseObject, key.getBaseOffset, key.getSizeInBytes, 42),
    shards)
}

/** Everything that a task needs to pack rows. */
private[spark] trait PackTask extends Serializable {
  def shards: Int

  /** Whether rows are sent with their place in the order of the step. */
  def isSorted: Boolean = false

  def packer(schema: Seq[Attribute]): Packer

  final def writer(packer: Packer): RowWriter =
    if (isSorted) new SortedPacketWriter(packer, shards) else new PacketWriter(packer, shards)
}

/** The numbers of packed rows and of the entries that they became. */
private[spark] final case class PackYield(messages: SQLMetric, entries: SQLMetric) {

  /** Returns the share of entries per row, or None before the first row. */
  def entriesPerMessage: Option[Double] =
    Option.when(messages.value > 0)(entries.value.toDouble / messages.value)
}

/** Packs rows by shard.
  *
  * @param metrics
  *   shared by all copies that Spark makes during planning
  */
private[spark] final case class PackExec(packing: PackTask, output: Seq[Attribute], child: SparkPlan)(
    override val metrics: Map[String, SQLMetric])
    extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override protected def otherCopyArgs: Seq[AnyRef] = Seq(metrics)

  def yields: PackYield = PackYield(longMetric("numMessages"), longMetric("numEntries"))

  protected override def doExecute(): RDD[InternalRow] = {
    val (messages, entries, rows) = (longMetric("numMessages"), longMetric("numEntries"), longMetric("numOutputRows"))
    val (program, schema)         = (packing, child.output)
    child.execute().mapPartitions { input =>
      val packer = program.packer(schema)
      program.writer(packer).all(
        input,
        packer,
        row => {
          entries += 1
          messages += packer.count(row)
        }).map { row => rows += 1; row }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)(metrics)
}

private[spark] object PackExec {
  def of(packing: PackTask, output: Seq[Attribute], child: SparkPlan): PackExec = {
    def metric(name: String) = SQLMetrics.createMetric(child.session.sparkContext, name)
    new PackExec(packing, output, child)(Map(
      "numMessages"   -> metric("number of messages"),
      "numEntries"    -> metric("number of entries"),
      "numOutputRows" -> metric("number of output rows")))
  }
}
