package windrow.spark.testing

import java.util.{Arrays, UUID}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.StructType
import scala.collection.mutable
import windrow.core.state.ByteReader
import windrow.spark.pack.{CallShards, PackNode, Packets, PassRejected, SortStep, Unpack, UnpackExec}
import windrow.spark.packet.PlacedPacket
import windrow.spark.rows.{RowPacket, Rows}
import windrow.spark.shards.WindowProcessor
import windrow.spark.watermark.{InputProgress, PartitionTimes, WatermarkRule}
import windrow.{SpecError, SpecProblem}

/** Runs a streaming plan as functions from a micro-batch to rows, each valid until the next one. Does the work of
  * Spark's operators between the sources and the sink without jobs, tasks and a shuffle. Windrow's own parts are those
  * of a query: packing, the programs of the shards, and unpacking.
  */
private[testing] final class LocalPlan(plan: LogicalPlan) {
  private val marked  = mutable.Buffer.empty[LocalWatermark]
  private val sharded = Seq.newBuilder[LocalShards]

  /** The rows that earlier operators have rejected in this micro-batch, in packets, by their kind. */
  private val rejected = mutable.Map.empty[Int, Seq[Array[Byte]]]

  val rows: Turn => Iterator[InternalRow] = of(plan)

  val watermarks: Seq[LocalWatermark] = marked.toSeq
  val shards: Seq[LocalShards]        = sharded.result()

  private def of(node: LogicalPlan): Turn => Iterator[InternalRow] = node match {
    case calling if calling.expressions.exists(_.exists(_.isInstanceOf[PythonFuncExpression])) =>
      throw LocalPlan.unknown("Python function")
    case FedSource(path, _)   => _.rows(path)
    case local: LocalRelation => _ => local.data.iterator
    case Project(columns, child) =>
      val (below, project) = (of(child), projection(columns, child.output))
      turn => below(turn).map(project)
    case Filter(condition, child) =>
      val (below, holds) = (of(child), Predicate.create(condition, child.output))
      holds.initialize(0)
      turn => below(turn).filter(holds.eval)
    case union: Union =>
      val all = union.children.map(of)
      turn => all.iterator.flatMap(_(turn))
    case mark: EventTimeWatermark =>
      val moved = new LocalWatermark(mark)
      marked += moved
      val below = of(mark.child)
      turn => below(turn).map { row => moved.see(row, turn.now); row }
    case times: PartitionTimes =>
      val (below, moved) = (of(times.child), marked.find(_.input.contains(times.input)).get)
      val read           = projection(Seq(Alias(times.partition, "partition")(), times.time), times.child.output)
      turn => below(turn).map { row => moved.seePartition(read(row), turn.now); row }
    case counted: CollectMetrics                      => of(counted.child)
    case pack: PackNode                               => packed(pack)
    case CallShards(_, child)                         => of(child)
    case SortStep(shard, place, child)                => sorted(child, shard, place)
    case unpack: Unpack                               => unpacked(unpack)
    case passing: PassRejected                        => passed(passing)
    case Packets(_, _, _, states: TransformWithState) => stepped(states)
    case other                                        => throw LocalPlan.unknown(other.nodeName)
  }

  /** Reads rows from packets. Its own packets must be consumed before the separated ones. */
  private def unpacked(rows: Unpack): Turn => Iterator[InternalRow] = {
    val below  = of(rows.child)
    val column = BindReferences.bindReference(rows.packet, rows.child.output)
    val read   = UnpackExec.reader(rows.kinds, rows.output)
    turn =>
      below(turn).flatMap(row => read(Rows.binary(row, column))) ++
        rows.kinds.iterator.flatMap(kind => rejected.getOrElse(kind.kind, Nil)).flatMap(one => read(ByteReader(one)))
  }

  private def passed(node: PassRejected): Turn => Iterator[InternalRow] = {
    val below  = of(node.child)
    val column = BindReferences.bindReference[Expression](node.packet, node.child.output)
    turn => {
      val packets = below(turn).map(column.eval(_).asInstanceOf[Array[Byte]]).toVector
      rejected(node.to) = packets.flatMap(packet => RowPacket.only(ByteReader(packet), node.from, node.to))
      packets.iterator.map(InternalRow(_))
    }
  }

  private def projection(columns: Seq[NamedExpression], under: Seq[Attribute]): InternalRow => InternalRow = {
    val project = UnsafeProjection.create(columns, under)
    project.initialize(0)
    project(_)
  }

  private def packed(pack: PackNode): Turn => Iterator[InternalRow] = {
    val (below, packing) = (of(pack.child), pack.alone)
    val packer           = packing.packer(pack.child.output)
    val writer           = packing.writer(packer)
    turn => {
      packer.begin()
      writer.all(below(turn), packer, _ => ())
    }
  }

  private def sorted(child: LogicalPlan, shard: Attribute, place: Attribute): Turn => Iterator[InternalRow] = {
    val below = of(child)
    val s     = child.output.indexWhere(_.exprId == shard.exprId)
    val at    = child.output.indexWhere(_.exprId == place.exprId)
    turn =>
      below(turn).map(_.copy()).toVector.sortWith { (a, b) =>
        val (left, right) = (a.getInt(s), b.getInt(s))
        left < right || left == right && Arrays.compareUnsigned(a.getBinary(at), b.getBinary(at)) < 0
      }.iterator
  }

  private def stepped(node: TransformWithState): Turn => Iterator[InternalRow] = {
    val processor = (node.statefulProcessor: Any) match {
      case windrow: WindowProcessor => windrow
      case _                        => throw LocalPlan.unknown(node.nodeName)
    }
    val below  = of(node.left)
    val states = new LocalShards(processor, node.timeMode)
    sharded += states
    def placeOf(column: Attribute) = node.left.output.indexWhere(_.exprId == column.exprId)

    val packet = placeOf(node.dataAttributes.head)
    val place  = node.dataAttributes.lift(1).map(placeOf)
    val shard  = placeOf(node.groupingAttributes.head)
    turn => {
      val packets = below(turn).map { row =>
        row.getInt(shard) -> (row.getBinary(packet), place.fold(PlacedPacket.Anywhere)(row.getBinary))
      }.toVector
      states.step(packets, turn).map(InternalRow(_))
    }
  }
}

private[testing] object LocalPlan {

  /** The error for a part of a plan that only Spark can run. */
  def unknown(part: String): SpecError =
    SpecError("harness(...)", Seq(SpecProblem("ONLY_IN_QUERIES", "what" -> part)))
}

/** A source, identified by its folder, whose rows the test provides. */
private[testing] final case class FedSource(path: String, output: Seq[Attribute]) extends LeafNode {
  override def isStreaming: Boolean = true
}

/** Tracks the progress of event time as a query does. */
private[testing] final class LocalWatermark(mark: EventTimeWatermark) {
  private val at    = mark.child.output.indexWhere(_.exprId == mark.eventTime.exprId)
  private val rule  = WatermarkRule.of(mark.eventTime)
  private val delay = EventTimeWatermark.getDelayMs(mark.delay)
  private val end: InternalRow => Long = mark.eventTime.dataType match {
    case window: StructType => row => row.getStruct(at, window.size).getLong(window.fieldIndex("end"))
    case _                  => row => row.getLong(at)
  }
  private var progress: Option[InputProgress] = None
  private var millis                          = 0L

  /** The input, if its partitions have watermarks of their own. */
  def input: Option[UUID] = rule.input

  /** Reads a row. Times are in milliseconds. */
  def see(row: InternalRow, now: Long): Unit =
    if (!row.isNullAt(at) && rule.input.isEmpty) see("", end(row), now)

  /** Reads the partition and the time of a row. */
  def seePartition(row: InternalRow, now: Long): Unit =
    if (!row.isNullAt(1)) see(if (row.isNullAt(0)) null else row.getUTF8String(0).toString, row.getLong(1), now)

  private def see(partition: String, micros: Long, now: Long): Unit =
    progress = Some(known(now).see(partition, Math.floorDiv(micros, 1000L), now))

  private def known(now: Long) = progress.getOrElse(rule.start(delay, now))

  private def end(now: Long, others: Seq[LocalWatermark]): Long = {
    progress = Some(known(now))
    millis = math.max(millis, InputProgress.reported(known(now), others.map(_.known(now)), now).getOrElse(0L))
    millis
  }

  /** Forgets everything, because Spark stores only the watermark of the query and not those of its streams. */
  def restart(): Unit = {
    progress = None
    millis = 0L
  }
}

private[testing] object LocalWatermark {

  /** Returns the watermark at the end of a micro-batch, in milliseconds; 0 before the first one.
    *
    * @param now
    *   its processing time
    */
  def least(all: Seq[LocalWatermark], now: Long): Long =
    all.map(one => one.end(now, all.filterNot(_ eq one))).minOption.getOrElse(0L)
}
