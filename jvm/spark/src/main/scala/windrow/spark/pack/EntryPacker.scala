package windrow.spark.pack

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import windrow.core.operator.Origin
import windrow.core.state.ByteWriter
import windrow.spark.functions.{FunctionSet, Lift}
import windrow.spark.packet.{EntryCodec, MessageOrder, Packer, SeenOffsets}
import windrow.spark.rows.{Rows, SourceName}
import windrow.{ContentOrder, Positions, WindowKind}

/** The way in which rows are sent to their shards.
  *
  * @param sortedFor
  *   why the rows of a packet, and the packets of a shard, are sorted in the order of the step; None if that order does
  *   not affect which panes fire
  * @param ordered
  *   whether a row carries its place in the order, because an aggregate depends on it
  * @param whole
  *   whether every row is sent with its original columns, because panes show them
  * @param byArrival
  *   whether the order of the step is that in which tasks read the rows, instead of that of their times
  */
final case class ShuffleMode(
    sortedFor: Option[String],
    ordered: Boolean,
    whole: Boolean,
    byArrival: Boolean = false) {
  def sorted: Boolean = sortedFor.isDefined

  def inWords: String = sortedFor.fold("many in a packet")(why => s"many in a packet, sorted, because $why")
}

/** The source of the buffers of a row. */
sealed trait PackLift

object PackLift {

  /** Every row is an input row. */
  final case class Each(functions: FunctionSet, inputs: Seq[Expression]) extends PackLift

  /** Spark has aggregated rows: the columns contain the number of rows and their buffers. */
  final case class Done(count: Attribute, buffers: Seq[Attribute]) extends PackLift
}

/** Packs rows as entries; see [[Pack]].
  *
  * @param carries
  *   whether a row's original columns are sent
  * @param message
  *   the original columns, as a struct
  * @param window
  *   the windows; None for policy windows
  */
private[spark] final case class EntryPacking(
    keys: Seq[Expression],
    time: Expression,
    carries: Expression,
    message: Expression,
    end: Seq[Expression],
    lift: PackLift,
    window: Option[WindowKind],
    shuffle: ShuffleMode,
    shards: Int,
    value: Seq[Expression] = Nil,
    sender: Seq[Expression] = Nil,
    pane: Seq[Expression] = Nil,
    marks: Seq[Expression] = Nil)
    extends PackTask {
  override def isSorted: Boolean             = shuffle.sorted
  def packer(schema: Seq[Attribute]): Packer = new EntryPacker(this, schema)
}

/** Writes rows as entries. */
private final class EntryPacker(program: EntryPacking, schema: Seq[Attribute]) extends Packer {

  /** The value of all rows, or the expression that computes the value of each. */
  private val (ofAll, own) = program.value match {
    case Seq(Literal(value: Long, _)) => (value, Nil)
    case values                       => (0L, values)
  }
  private val isOwn    = own.nonEmpty
  private val originAt = 1 + own.size
  private val key      = UnsafeProjection.create(program.keys, schema)
  private val carries  = Predicate.create(program.carries, schema)
  private val message  = Rows.ofStruct(program.message, schema)
  private val fields   = UnsafeProjection.create(program.time +: (own ++ program.sender), schema)
  private val panes    = Option.when(program.pane.nonEmpty)(new PaneReader(program.pane, schema))
  private val marks    = Option.when(program.marks.nonEmpty)(new MarkReader(program.marks, schema))
  private val ordered  = program.shuffle.sorted || program.shuffle.ordered

  /** Whether the output shows the original row instead of values that aggregates computed from it. */
  private val isWhole = program.shuffle.whole
  private val window  = program.window

  /** Whether a row lacks an event time. Such a row is rejected, so none of its values is evaluated. Policy windows do
    * not reject it.
    */
  private val isTimeless: InternalRow => Boolean = {
    val at = schema.indexWhere(_.semanticEquals(program.time))
    if (program.window.isEmpty || at < 0) _ => false else _.isNullAt(at)
  }

  private val lift: InternalRow => UnsafeRow = program.lift match {
    case PackLift.Each(functions, inputs) =>
      val lift = Lift(functions, inputs, schema)
      row => if (isTimeless(row)) lift.nothing else lift(row)
    case PackLift.Done(_, buffers) =>
      val project = UnsafeProjection.create(buffers, schema)
      row => project(row)
  }

  private val counted: InternalRow => Long = program.lift match {
    case _: PackLift.Each => _ => 1L
    case PackLift.Done(counted, _) =>
      val at = schema.indexWhere(_.exprId == counted.exprId)
      row => row.getLong(at)
  }

  override def count(row: InternalRow): Long = counted(row)

  private var lastKey: UnsafeRow = _

  val isEnd: InternalRow => Boolean = Packer.isEnd(program.end, schema)

  def notices: Seq[Array[Byte]] = Packer.notice(seen, goesByOffsets)

  def begin(): Unit = {
    seen = new SeenOffsets
    arrived = 0
  }

  /** The number of rows that the task has written. */
  private var arrived = 0L

  /** The offsets of the written rows. */
  private var seen = new SeenOffsets

  private val goesByOffsets = window.exists(_.goesByOffsets)

  /** Whether the order depends on positions. Policy windows use the order of rows, not event time. */
  private val isByPosition = window.forall(_.bounds == Positions)

  def shard(row: InternalRow): Int = {
    lastKey = key(row)
    ShardHash(lastKey, program.shards)
  }

  def write(row: InternalRow, out: ByteWriter): Array[Byte] =
    if (timeAt >= 0) {
      EntryCodec.write(
        out,
        lastKey,
        !row.isNullAt(timeAt),
        row.getLong(timeAt),
        ofAll,
        count(row),
        lift(row),
        rawOf(row))
      null
    } else writeWhole(row, out)

  /** The position of the time column, if rows have no values and offsets of their own; otherwise -1. */
  private val timeColumn =
    if (isOwn || program.sender.nonEmpty) -1 else schema.indexWhere(_.semanticEquals(program.time))

  /** The same, if an entry contains only the key, the time, and the values. */
  private val timeAt = if (panes.isDefined || marks.isDefined || ordered) -1 else timeColumn

  private def rawOf(row: InternalRow): UnsafeRow =
    if (carries.eval(row)) message(row) else null

  private def writeWhole(row: InternalRow, out: ByteWriter): Array[Byte] = {
    val values = if (timeColumn < 0) fields(row) else null
    val time =
      if (timeColumn < 0) Option.when(!values.isNullAt(0))(values.getLong(0))
      else Option.when(!row.isNullAt(timeColumn))(row.getLong(timeColumn))
    val value = if (isOwn && !values.isNullAt(1)) values.getLong(1) else ofAll
    val from  = originOf(values, originAt)
    from.foreach(seen.add)
    val buffer = lift(row)
    val raw    = rawOf(row)
    val mark   = marks.map(_(row))
    val order =
      if (program.shuffle.byArrival) {
        arrived += 1
        MessageOrder.ofArrival(TaskContext.getPartitionId(), arrived)
      } else if (ordered) {
        val place = panes.map(_.place(row)).orElse(Option.when(isOwn)(value))
        MessageOrder(time, from, if (isWhole) raw else buffer, isByPosition, place, mark)
      } else null
    EntryCodec.write(
      out,
      lastKey,
      time,
      value,
      count(row),
      buffer,
      raw,
      from,
      panes.flatMap(_(row)),
      mark,
      if (!program.shuffle.ordered) null else if (isInTurn) EntryPacker.InTurn else order)
    order
  }

  /** Whether the rows of a window are ordered by arrival, over all steps. */
  private val isInTurn = window.exists(_.order == ContentOrder.ByArrival)

  private def originOf(values: UnsafeRow, at: Int): Option[Origin] =
    Option.when(program.sender.nonEmpty && !values.isNullAt(at + 1) && !values.isNullAt(at + 2))(
      Origin(
        if (values.isNullAt(at)) "" else SourceName.of(values.getUTF8String(at)),
        values.getLong(at + 1),
        values.getLong(at + 2)))
}

private object EntryPacker {

  /** The place of a row that follows all stored rows. */
  val InTurn: Array[Byte] = Array.emptyByteArray
}
