package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.hash.Murmur3_x86_32
import windrow.ContentOrder
import windrow.Positions
import windrow.core.operator.Origin
import windrow.core.state.ByteWriter
import windrow.spark.functions.FunctionSet
import windrow.spark.functions.Lift

/** Which shard a key is hashed to; fixed for the life of a checkpoint. */
private[spark] object ShardOf {
  def apply(key: UnsafeRow, shards: Int): Int = Math.floorMod(
    Murmur3_x86_32.hashUnsafeBytes(key.getBaseObject, key.getBaseOffset, key.getSizeInBytes, 42),
    shards)
}

/** Where the buffers of a row come from. */
sealed trait PackLift {
  def references: Seq[Expression]
}

object PackLift {

  /** Every row is a message. */
  final case class Each(functions: FunctionSet, inputs: Seq[Expression]) extends PackLift {
    def references: Seq[Expression] = inputs
  }

  /** Spark has aggregated: columns hold the count of messages and their buffers. */
  final case class Done(count: Attribute, buffers: Seq[Attribute]) extends PackLift {
    def references: Seq[Expression] = count +: buffers
  }
}

/** Packs rows by shard; see [[Pack]].
  *
  * @param carries
  *   whether a row's original message goes along
  * @param message
  *   that message, a struct
  */
final case class PackExec(
    keys: Seq[Expression],
    time: Expression,
    gap: Seq[Expression],
    sender: Seq[Expression],
    pane: Seq[Expression],
    carries: Expression,
    message: Expression,
    end: Seq[Expression],
    lift: PackLift,
    recipe: PackRecipe,
    output: Seq[Attribute],
    child: SparkPlan)
    extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numMessages"   -> SQLMetrics.createMetric(sparkContext, "number of messages"),
    "numEntries"    -> SQLMetrics.createMetric(sparkContext, "number of entries"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  protected override def doExecute(): RDD[InternalRow] = {
    val (messages, entries, rows) = (longMetric("numMessages"), longMetric("numEntries"), longMetric("numOutputRows"))
    val schema                    = child.output
    val program                   = PackProgram(keys, time, gap, sender, pane, carries, message, end, lift, recipe)
    child.execute().mapPartitions { input =>
      val packer = new EntryPacker(program, schema)
      val shuffle = if (program.recipe.shuffle.sorted) new SortedRowWriter(packer, program.recipe.shards)
      else new PacketWriter(packer, program.recipe.shards)
      shuffle.all(
        input,
        packer,
        row => {
          entries += 1
          messages += packer.count(row)
        }).map { row => rows += 1; row }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

/** What a task needs of a [[PackExec]]. */
private[spark] final case class PackProgram(
    keys: Seq[Expression],
    time: Expression,
    gap: Seq[Expression],
    sender: Seq[Expression],
    pane: Seq[Expression],
    carries: Expression,
    message: Expression,
    end: Seq[Expression],
    lift: PackLift,
    recipe: PackRecipe)

/** Writes rows as entries. */
private[spark] final class EntryPacker(program: PackProgram, schema: Seq[Attribute]) extends Packer {
  private val key     = UnsafeProjection.create(program.keys, schema)
  private val carries = Predicate.create(program.carries, schema)
  private val message = UnsafeProjection.create(Seq(program.message), schema)
  private val fields  = UnsafeProjection.create(program.time +: (program.gap ++ program.sender), schema)
  private val panes   = Option.when(program.pane.nonEmpty)(new PaneReader(program.pane, schema))
  private val hasGap  = program.gap.nonEmpty
  private val ordered = program.recipe.shuffle.sorted || program.recipe.shuffle.ordered

  /** What shows of a message is the whole of it; else what its aggregates made of it. */
  private val isWhole = program.recipe.shuffle.whole
  private val window  = program.recipe.windows.map(_.window)
  private val width   = program.message.dataType.asInstanceOf[StructType].size

  private val lift: InternalRow => UnsafeRow = program.lift match {
    case PackLift.Each(functions, inputs) =>
      val lift = Lift(functions, inputs, schema)
      row => lift(row)
    case PackLift.Done(_, buffers) =>
      val project = UnsafeProjection.create(buffers, schema)
      row => project(row)
  }

  val count: InternalRow => Long = program.lift match {
    case _: PackLift.Each => _ => 1L
    case PackLift.Done(counted, _) =>
      val at = schema.indexWhere(_.exprId == counted.exprId)
      row => row.getLong(at)
  }

  private var lastKey: UnsafeRow = _

  val isEnd: InternalRow => Boolean = Packer.isEnd(program.end, schema)

  def notices: Seq[Array[Byte]] = Packer.notice(seen, goesByOffsets)

  /** The offsets of what was written. */
  private val seen = new SeenOffsets

  private val goesByOffsets = window.exists(_.goesByOffsets)

  /** Policies go by messages, not by event time. */
  private val isByPosition = window.forall(_.bounds == Positions)

  def shard(row: InternalRow): Int = {
    lastKey = key(row)
    ShardOf(lastKey, program.recipe.shards)
  }

  def write(row: InternalRow, out: ByteWriter): Array[Byte] = {
    val values = fields(row)
    val time   = Option.when(!values.isNullAt(0))(values.getLong(0))
    val gap    = if (hasGap && !values.isNullAt(1)) values.getLong(1) else 0L
    val from   = originOf(values, if (hasGap) 2 else 1)
    from.foreach(seen.add)
    val buffer = lift(row)
    val raw    = if (carries.eval(row)) message(row).getStruct(0, width) else null
    val order =
      if (ordered) MessageOrder(time, from, if (isWhole) raw else buffer, isByPosition, panes.map(_.place(row)))
      else null
    EntryCodec.write(
      out,
      lastKey,
      time,
      gap,
      count(row),
      buffer,
      raw,
      from,
      panes.flatMap(_(row)),
      if (!program.recipe.shuffle.ordered) null else if (isInTurn) EntryPacker.InTurn else order)
    order
  }

  /** The messages of a window stand in the order in which they were accepted, over all steps. */
  private val isInTurn = window.exists(_.order == ContentOrder.ByArrival)

  private def originOf(values: UnsafeRow, at: Int): Option[Origin] =
    Option.when(program.sender.nonEmpty && !values.isNullAt(at + 1) && !values.isNullAt(at + 2))(
      Origin(
        if (values.isNullAt(at)) "" else values.getUTF8String(at).toString,
        values.getLong(at + 1),
        values.getLong(at + 2)))
}

private object EntryPacker {

  /** The place of a message that comes after all that are there. */
  val InTurn: Array[Byte] = Array.emptyByteArray
}
