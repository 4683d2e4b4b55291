package windrow.spark.standalone

import java.nio.file.Paths
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{StructField, StructType, TimestampNTZType}
import org.apache.spark.sql.windrow.{ArrowTables, SparkInside}
import scala.jdk.CollectionConverters._
import windrow.ErrorConditions
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore, ShardStore}
import windrow.operators.{Context, RocksStore, WindowOperator}
import windrow.spark.input.PlainText
import windrow.spark.shards.GuardSettings

/** The interface of an operator for Python. Arguments and results are numbers in microseconds and tables as Arrow
  * streams. All code that Python may override is in Python, so this class never calls back. Not thread-safe.
  *
  * @param stated
  *   the properties that a checkpoint records and that may not change, as text
  * @param read
  *   the inputs of the aggregates, over the columns
  */
abstract class StandaloneOperator private[standalone] (
    session: SparkSession,
    inputs: IndexedSeq[Input],
    stated: Seq[String],
    read: Seq[Expression] = Nil)
    extends AutoCloseable {

  protected type Output
  protected type Running <: WindowOperator[Message, Output]

  protected def make(store: ShardStore): Running
  protected def written(outputs: Seq[Output]): Array[Byte]

  /** Creates the context of the core operator, with the guards of the session. */
  protected final def context(name: String, store: ShardStore): Context[Message, Output] =
    Context(name, store, guards = GuardSettings(session))

  private val fixed = stated ++ Seq(
    inputs.map(_.describeOrigin).mkString("messages ", "; ", ""),
    PlainText.zones(read ++ inputs.flatMap(_.value)).mkString("session time zones (", ", ", ")"))

  private lazy val format = new RowFormat(inputs)
  private val rejections  = new RejectedTable(inputs)

  private var operator   = Option.empty[Running]
  private var belongings = Option.empty[OperatorMetadata]
  private var staged     = Vector.empty[(String, Message)]
  private var withheld   = Vector.empty[(String, Message)]
  private var shown      = 0 // outputs that were returned and not flushed
  private var refused    = Vector.empty[Refused]
  private var clock      = Option.empty[Long]

  protected final def running: Running = operator.getOrElse(throw new IllegalStateException(
    ErrorConditions.message("NOT_OPEN.STATE", "operator" -> "the operator")))

  /** Opens the state in a folder, or a new one in memory if `folder` is null. */
  final def open(folder: String): Unit = active {
    val store = if (folder == null) new InMemoryShardStore else RocksStore(Paths.get(folder))
    try {
      val kept = new OperatorMetadata(store, fixed)
      val made = make(store)
      made.init()
      operator = Some(made)
      belongings = Some(kept)
    } catch {
      case failed: Throwable =>
        store match {
          case closeable: AutoCloseable => closeable.close()
          case _                        => ()
        }
        throw failed
    }
  }

  protected final def active[T](code: => T): T = SparkInside.inSession(session)(code)

  /** Returns an empty table with the columns of a stream. */
  final def inputColumns(stream: String): Array[Byte] =
    ArrowTables.write(inputs(place(stream)).declared, Iterator.empty)

  /** Whether the event time of a stream lacks a time zone. It is then treated as UTC. */
  final def isTimeWithoutZone(stream: String): Boolean = inputs(place(stream)).timeType == TimestampNTZType

  /** Returns an empty table with the columns of the key. */
  final def keyColumns(): Array[Byte] = ArrowTables.write(keySchema, Iterator.empty)

  private def keySchema = StructType(inputs.head.key.map { case (name, key) => StructField(name, key.dataType) })

  private def place(stream: String): Int = inputs.indexWhere(_.name == stream)

  /** Adds rows to the next step. The table must have exactly the columns of the stream. */
  final def add(stream: String, table: Array[Byte]): Unit = {
    staged ++= messagesOf(stream, table)
  }

  /** Receives the rows that were passed to `beforeProcess`, after the rows that it kept have been added. The next step
    * marks the offsets of the dropped rows as processed. Streams without offsets need no marks.
    */
  final def offered(stream: String, table: Array[Byte]): Unit = if (inputs(place(stream)).origin.nonEmpty) {
    val left = staged.flatMap { case (_, message) => format.origin(message) }.toSet
    withheld = messagesOf(stream, table).filter { case (_, message) =>
      format.origin(message).exists(!left.contains(_))
    }
  }

  private def messagesOf(stream: String, table: Array[Byte]): Vector[(String, Message)] = {
    val at   = place(stream)
    val row  = UnsafeProjection.create(inputs(at).schema)
    var some = Vector.empty[(String, Message)]
    ArrowTables.read(table)(read => some :+= (stream -> Message(at, row(read).copy())))
    some
  }

  /** Runs one step: applies the added rows, then the watermark, at a processing time. Null means unchanged. */
  final def step(watermark: java.lang.Long, processingTime: java.lang.Long): Unit =
    step(Option(watermark).map(_.longValue), Option(processingTime).map(_.longValue))

  private def step(watermark: Option[Long], processingTime: Option[Long]): Unit = judged(processingTime) {
    val (messages, apart) = (staged, withheld)
    staged = Vector.empty
    withheld = Vector.empty
    running.follow(messages, watermark, processingTime, apart)
  }

  /** Advances the watermark of a stream, or of all streams if `stream` is null. */
  final def advance(stream: String, watermark: Long): Unit = judged(None) {
    if (stream == null) running.advanceWatermark(watermark) else running.advanceWatermark(stream, watermark)
  }

  /** Advances the processing time, and the watermark unless that is null. */
  final def timeout(processingTime: Long, watermark: java.lang.Long): Unit = judged(Some(processingTime)) {
    running.timeout(processingTime, Option(watermark).map(_.longValue))
  }

  /** Ends the input, so that every window completes. */
  final def finish(): Unit = judged(None)(running.finish())

  /** Emits the outputs that were held back while the consumer was full. */
  final def drain(): Unit = judged(None) {
    running.drain()
    ()
  }

  /** Sets whether the consumer is full. While it is, no rows may be added, and time does not release outputs. */
  final def hold(isFull: Boolean): Unit = running.hold(isFull)

  /** Runs code that may be a step. The rejected rows were judged by the watermark before it. */
  private def judged(processingTime: Option[Long])(code: => Unit): Unit = active {
    val before = instant
    val now    = Seq(clock, processingTime).flatten.maxOption
    code
    clock = now
    refused ++= running.takeRejected().map(one => Refused(one.message, one.reason, before, clock))
  }

  private def mark: Option[Long] = Option(running.watermark).filter(_.isDefined).map(_.micros)

  /** The watermark, or None before the first one and at the end of the input (SEMANTICS R71). */
  private def instant: Option[Long] = Option(running.watermark).flatMap(_.instant)

  /** Returns the outputs since the last call, in the order in which they fired. */
  final def outputs(): Array[Byte] = active {
    val all = running.getResult()
    val out = written(all.drop(shown))
    shown = all.size
    out
  }

  final def hasOutputs: Boolean = running.getResult().size > shown

  /** Returns the rejected rows since the last call. */
  final def rejected(): Array[Byte] = active {
    val out = rejections.write(refused)
    refused = Vector.empty
    out
  }

  /** Acknowledges the outputs: persists the state that led to them, and removes them. */
  final def flush(): Unit = {
    running.flush()
    belongings.foreach(_.keep(mark))
    shown = 0
  }

  /** Removes outputs that the consumer has stored. Nothing is persisted before `flush`. */
  final def forget(): Unit = {
    running.forget()
    shown = 0
  }

  /** Returns the numbers of accepted, rejected and other rows, and of rejected rows by reason. */
  final def counters(): java.util.Map[String, java.lang.Long] = {
    val ledger = running.ledger
    val counts = Seq(
      "accepted"   -> ledger.accepted,
      "rejected"   -> ledger.rejected.values.sum,
      "duplicates" -> ledger.duplicates,
      "gaps"       -> ledger.gaps,
      "retired"    -> ledger.retired) ++ ledger.rejected.map { case (reason, count) => reason.toString -> count }
    counts.map { case (name, count) => name -> Long.box(count) }.toMap.asJava
  }

  /** Serializes everything except the pending outputs. Nothing is persisted. */
  final def checkpoint(): Array[Byte] = {
    val out = new ByteWriter(4096)
    OperatorMetadata.write(fixed, mark, out)
    out.bytes(running.image())
    out.sealedResult()
  }

  /** Discards the present state without emitting anything, and continues from a checkpoint, or from empty state if
    * `checkpoint` is null. `flush` persists the result.
    */
  final def reset(checkpoint: Array[Byte]): Unit = active {
    val from = Option(checkpoint).map(ByteReader.unsealed(_, "the checkpoint"))
    from.foreach(OperatorMetadata.check(_, fixed))
    try from.fold(running.reset())(in => running.reset(in.bytes()))
    catch {
      case failed: Throwable => // a rejected checkpoint leaves the outputs untouched, a later failure does not
        shown = math.min(shown, running.getResult().size)
        throw failed
    }
    staged = Vector.empty
    withheld = Vector.empty
    refused = Vector.empty
    shown = 0
    dropped()
  }

  /** Called after the present state has been discarded. */
  protected def dropped(): Unit = ()

  /** Reads a key from a table of one row with the columns of `keyColumns`, or returns None for null. */
  protected final def keyOf(table: Array[Byte]): Option[UnsafeRow] = Option(table).map { bytes =>
    var key = Option.empty[UnsafeRow]
    ArrowTables.read(bytes)(row => key = Some(keyOf(row)))
    key.get
  }

  private lazy val projectKey = UnsafeProjection.create(inputs.head.key.zipWithIndex.map { case ((_, key), i) =>
    SparkInside.normalized(BoundReference(i, key.dataType, nullable = true))
  })

  protected final def keyOf(row: InternalRow): UnsafeRow = projectKey(row).copy()

  /** Returns rows of a stream in a range of event time or offsets, including both ends, in order. Null means no bound.
    *
    * @param key
    *   one row with the columns of `keyColumns`, or null for all keys
    */
  final def messages(
      stream: String,
      start: java.lang.Long,
      end: java.lang.Long,
      byOffset: Boolean,
      key: Array[Byte]): Array[Byte] = active {
    val found = query(stream, bound(start), bound(end), byOffset, keyOf(key))
    ArrowTables.write(inputs(place(stream)).schema, found.iterator.map(_.row))
  }

  protected final def bound(value: java.lang.Long): Option[Long] = Option(value).map(_.longValue)

  protected def query(
      stream: String,
      start: Option[Long],
      end: Option[Long],
      byOffset: Boolean,
      key: Option[UnsafeRow]): Seq[Message] =
    throw new UnsupportedOperationException(ErrorConditions.message("NO_MESSAGE_STORE.OPERATOR"))

  /** Returns windows that overlap a range of event time, including both ends, ordered by start and end. */
  def windows(start: java.lang.Long, end: java.lang.Long, key: Array[Byte]): Array[Byte] =
    throw new UnsupportedOperationException(ErrorConditions.message("NO_WINDOWS.OPERATOR"))

  /** Frees all resources. No other method may be called after it. */
  final def close(): Unit = {
    operator.foreach(_.close())
    operator = None
    belongings = None
    staged = Vector.empty
    refused = Vector.empty
  }
}
