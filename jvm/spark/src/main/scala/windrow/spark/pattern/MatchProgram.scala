package windrow.spark.pattern

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.core.pattern.{EarlierRow, MatchEffect, MatchShard, RowConditions}
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.store.StoredMessage
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.spark.output.{CountColumns, OutputSchema, PacketOutput, RejectedRow}
import windrow.spark.packet.EntryCodec
import windrow.spark.panes.RetractingProgram
import windrow.spark.query.StateDescriptor
import windrow.spark.rows.RowShape
import windrow.spark.shards.{OperatorRunner, ShardRunner, StepPackets}
import windrow.{MatchSpec, Reason, TimeSpan}

/** Runs the shards of a search for a pattern.
  *
  * @param conditions
  *   for each name its condition over the row, the previous row, and the earlier rows
  * @param earlier
  *   the earlier rows of a match that conditions read
  * @param reads
  *   for each name the positions of those that its condition reads
  */
final class MatchProgram private[pattern] (
    spec: MatchSpec,
    val fingerprint: SpecFingerprint,
    val shards: Int,
    form: MatchForm,
    conditions: Seq[Option[Expression]],
    readsPrevious: Boolean,
    earlier: IndexedSeq[EarlierRow],
    reads: IndexedSeq[Seq[Int]],
    override val processingTimeDelay: Option[TimeSpan],
    val stream: String,
    override val descriptor: Option[StateDescriptor])
    extends RetractingProgram {
  program =>

  def spaces: Seq[String] = MatchShard.Spaces

  def retraction: Option[(Int, Int)] = Option.when(spec.retracts)((MatchForm.RowKind, form.retractionAt))

  def hasPeriods: Boolean = processingTimeDelay.isDefined

  /** A match is emitted when the watermark has passed its first row by `within` at the latest. */
  override def outputLag(kind: Int, column: Int): Distance[Axis.Time] =
    if (kind == MatchForm.RowKind) spec.within.fold(Distance.endless[Axis.Time])(span => new Distance(span.micros))
    else Distance.none

  def runner(): ShardRunner = new Runner

  private final class Runner extends OperatorRunner[MatchShard] {
    private val output = new MatchPackets(form)
    private val tests  = new RowTests

    protected def open(store: ShardStore): MatchShard =
      new MatchShard(spec, store, tests, fingerprint, guards)

    protected def run(
        shard: MatchShard,
        packets: StepPackets,
        watermark: => Watermark,
        processingTime: Long): Iterator[Array[Byte]] = {
      val messages = packets.others.flatMap(EntryCodec.messages)
      val effects  = shard.step(messages, watermark, Some(processingTime), packets.progress)
      output.packets(effects, (shard.counters, shard.emitted)) {
        case found: MatchEffect.Found => output.found(found)
        case MatchEffect.Reject(one, reason, watermark) =>
          output.rejected(one.payload, reason, watermark, processingTime)
      }
    }
  }

  /** Evaluates the conditions of rows. */
  private final class RowTests extends RowConditions {
    private val shape = RowShape(form.message)
    private val tests = conditions.map(_.map(Predicate.create(_))).toArray
    private val rows  = new GenericInternalRow(2 + program.earlier.size)

    /** The names whose conditions read no earlier rows. */
    private val own      = tests.indices.filter(name => tests(name).isDefined && program.reads(name).isEmpty).toArray
    private val everyRow = tests.indices.filter(tests(_).isEmpty).map(1L << _).foldLeft(0L)(_ | _)

    def readsPrevious: Boolean                   = program.readsPrevious
    override def earlier: IndexedSeq[EarlierRow] = program.earlier
    override def reads(name: Int): Seq[Int]      = program.reads(name)

    def classify(previous: StoredMessage, row: StoredMessage): Long = {
      put(0, row)
      put(1, previous)
      var names = everyRow
      own.foreach(name => if (has(name)) names |= 1L << name)
      names
    }

    override def holds(
        name: Int,
        previous: StoredMessage,
        row: StoredMessage,
        others: Array[StoredMessage]): Boolean = {
      put(0, row)
      put(1, previous)
      reads(name).foreach(i => put(2 + i, others(i)))
      has(name)
    }

    private def put(at: Int, row: StoredMessage): Unit =
      rows.update(at, if (row == null) null else shape.of(row.payload))
    private def has(name: Int): Boolean = tests(name).exists(_.eval(rows))
  }
}

/** The form of the rows that a shard emits.
  *
  * @param keys
  *   the types of the key
  * @param timeType
  *   the type of the event time
  * @param measures
  *   the aggregates with their inputs and columns; None if the rows of a match are emitted
  */
private[pattern] final case class MatchForm(
    keys: Seq[DataType],
    message: StructType,
    timeType: DataType,
    names: IndexedSeq[String],
    measures: Option[MeasureForm]) {

  /** The columns of a match: the key, the times of its first and last row, and whether it is a retraction, and then its
    * rows or the results of the aggregates.
    */
  def types: Seq[DataType] =
    keys ++ Seq(timeType, timeType, BooleanType) ++ measures.fold[Seq[DataType]](Seq(MatchForm.rows(message)))(_.types)

  def retractionAt: Int = keys.size + 2
  def restAt: Int       = keys.size + 3
}

private[pattern] object MatchForm {

  /** The number of the kind of matches. Rejected rows have that of all operators over one stream. */
  val RowKind = 0

  /** The rows of a match, each with its name. */
  def rows(message: StructType): ArrayType = ArrayType(
    new StructType().add("name", StringType, nullable = false).add("row", message, nullable = false),
    containsNull = false)
}

private[pattern] final case class MeasureForm(
    functions: windrow.spark.functions.FunctionSet,
    inputs: Seq[Expression],
    columns: Seq[Attribute],
    types: Seq[DataType])

/** Writes the output of a shard of a search for a pattern. */
private[pattern] final class MatchPackets(form: MatchForm) extends PacketOutput(MatchPackets.Counts) {
  private val shape     = RowShape(form.message)
  private val keyShape  = new RowShape(form.keys)
  private val rejection = new RejectedRow(form.message)
  private val project   = UnsafeProjection.create(form.types.toArray)
  private val names     = form.names.map(UTF8String.fromString)
  private val measured  = form.measures.map(one => new MatchAggregation(one.functions, one.inputs, one.columns))
  private val values    = new GenericInternalRow(3)

  def found(one: MatchEffect.Found): Unit = {
    values.update(0, one.rows.head.time)
    values.update(1, one.rows.last.time)
    values.update(2, one.isRetraction)
    val rest = measured.fold(whole(one))(_(one.rows.iterator.zip(one.names.iterator).map { case (row, name) =>
      new JoinedRow(shape.of(row.payload), InternalRow(name.toInt))
    }))
    put(MatchForm.RowKind, project(new JoinedRow(new JoinedRow(keyShape.of(one.key.bytes), values), rest)))
  }

  private def whole(one: MatchEffect.Found): InternalRow = InternalRow(new GenericArrayData(
    one.rows.iterator.zip(one.names.iterator).map { case (row, name) =>
      InternalRow(names(name.toInt), shape.of(row.payload))
    }.toArray[Any]))

  def rejected(payload: Array[Byte], reason: Reason, watermark: Watermark, processingTime: Long): Unit = {
    count(reason)
    put(OutputSchema.RejectedKind, rejection(payload, reason, watermark, processingTime))
  }
}

private[pattern] object MatchPackets {
  val Counts: CountColumns = CountColumns(CountColumns.Rows)
}
