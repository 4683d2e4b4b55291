package windrow.spark.testing

import java.util.Arrays
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
import windrow.spark.watermark.PartitionTimes
import windrow.{SpecError, SpecProblem}

/** Runs a streaming plan as functions from a micro-batch to rows, each valid until the next one. Does the work of
  * Spark's operators between the sources and the sink without jobs, tasks and a shuffle. Windrow's own parts are those
  * of a query: packing, the programs of the shards, and unpacking.
  */
private[testing] final class LocalPlan(plan: LogicalPlan) {
  private val marked  = Seq.newBuilder[LocalWatermark]
  private val sharded = Seq.newBuilder[LocalShards]

  /** The rows that earlier operators have rejected in this micro-batch, in packets, by their kind. */
  private val rejected = mutable.Map.empty[Int, Seq[Array[Byte]]]

  val rows: Turn => Iterator[InternalRow] = of(plan)

  val watermarks: Seq[LocalWatermark] = marked.result()
  val shards: Seq[LocalShards]        = sharded.result()

  private def of(node: LogicalPlan): Turn => Iterator[InternalRow] = node match {
    case Fed(path, _)         => _.rows(path)
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
      val (below, moved) = (of(mark.child), new LocalWatermark(mark))
      marked += moved
      turn => below(turn).map { row => moved.see(row); row }
    case counted: CollectMetrics                      => of(counted.child)
    case times: PartitionTimes                        => of(times.child)
    case pack: PackNode                               => packed(pack)
    case CallShards(_, child)                         => of(child)
    case SortStep(shard, place, child)                => sorted(child, shard, place)
    case unpack: Unpack                               => unpacked(unpack)
    case passing: PassRejected                        => passed(passing)
    case Packets(_, _, _, states: TransformWithState) => stepped(states)
    case other                                        => throw LocalPlan.unknown(other)
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
      case _                        => throw LocalPlan.unknown(node)
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

  /** The error for a node that only Spark can run. */
  def unknown(node: LogicalPlan): SpecError =
    SpecError("harness(...)", Seq(SpecProblem("ONLY_IN_QUERIES", "what" -> node.nodeName)))
}

/** A source, identified by its folder, whose rows the test provides. */
private[testing] final case class Fed(path: String, output: Seq[Attribute]) extends LeafNode {
  override def isStreaming: Boolean = true
}

/** Tracks the progress of event time as Spark does. */
private[testing] final class LocalWatermark(mark: EventTimeWatermark) {
  private val at    = mark.child.output.indexWhere(_.exprId == mark.eventTime.exprId)
  private val delay = EventTimeWatermark.getDelayMs(mark.delay)
  private val end: InternalRow => Long = mark.eventTime.dataType match {
    case window: StructType => row => row.getStruct(at, window.size).getLong(window.fieldIndex("end"))
    case _                  => row => row.getLong(at)
  }

  /** The watermark in milliseconds; 0 before the first one. */
  var millis = 0L

  def see(row: InternalRow): Unit =
    if (!row.isNullAt(at)) millis = math.max(millis, Math.floorDiv(end(row), 1000L) - delay)

  /** Resets the watermark, because Spark stores only the watermark of the query and not those of its streams. */
  def restart(): Unit = millis = 0L
}
