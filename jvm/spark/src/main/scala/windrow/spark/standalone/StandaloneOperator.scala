package windrow.spark.standalone

import java.nio.file.Paths
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{StructField, StructType, TimestampNTZType}
import org.apache.spark.sql.windrow.{ArrowTables, SparkInside}
import scala.jdk.CollectionConverters._
import windrow.ErrorConditions
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore}
import windrow.operators.{Context, RocksStore, WindowOperator}
import windrow.spark.input.PlainText
import windrow.spark.shards.GuardSettings

/** The interface of an operator for Python. Arguments and results are numbers in microseconds and tables as Arrow
  * streams. All code that Python may override is in Python, so this class never calls back: Python asks for new outputs,
  * passes them on, and answers. Not thread-safe.
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

  protected def make(context: Context[Message, Output]): Running
  protected def written(outputs: Seq[Output]): Array[Byte]

  private val identity = stated ++ Seq(
    inputs.map(_.describeOrigin).mkString("messages ", "; ", ""),
    PlainText.zones(read ++ inputs.flatMap(_.value)).mkString("session time zones (", ", ", ")"))

  private lazy val format = new RowFormat(inputs)
  private val rejections  = new RejectedTable(inputs)

  private final class OpenOperator(val operator: Running, val outbox: TableOutbox[Output])

  private var opened   = Option.empty[OpenOperator]
  private var staged   = Vector.empty[(String, Message)]
  private var withheld = Vector.empty[(String, Message)]

  private def current: OpenOperator = opened.getOrElse(throw new IllegalStateException(
    ErrorConditions.message("NOT_OPEN.STATE", "operator" -> "the operator")))

  protected final def running: Running = current.operator

  private def outbox: TableOutbox[Output] = current.outbox

  /** Opens the state in a folder, or a new one in memory if `folder` is null, with the guards of the session.
    *
    * @param name
    *   the operator in error messages
    * @param sends
    *   whether Python sends the outputs; otherwise they wait for `flush`
    */
  final def open(folder: String, name: String, sends: Boolean): Unit = active {
    val store = if (folder == null) new InMemoryShardStore else RocksStore(Paths.get(folder))
    try {
      val outbox   = new TableOutbox[Output](written, sends)
      val guards   = GuardSettings(session)
      val operator = make(Context(name, store, guards = guards, identity = identity, outbox = Some(outbox)))
      operator.init()
      opened = Some(new OpenOperator(operator, outbox))
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

  /** Whether rows may be added; false while the consumer is full. */
  final def acceptsInput: Boolean = running.acceptsInput

  /** Fails while the consumer is full.
    *
    * @throws windrow.operators.BackpressureError
    *   with the number of waiting outputs
    */
  final def requireRoom(): Unit = running.requireRoom()

  /** Runs one step with rows of one stream; see `add`. */
  final def process(stream: String, table: Array[Byte], offered: Array[Byte]): Unit = {
    add(stream, table, offered)
    step(null, null)
  }

  /** Adds rows to the next step.
    *
    * @param table
    *   exactly the columns of the stream
    * @param offered
    *   the rows that were passed to `beforeProcess`, or null if it kept all of them. The step marks the offsets of
    *   dropped rows as processed; streams without offsets need no marks.
    */
  final def add(stream: String, table: Array[Byte], offered: Array[Byte] = null): Unit = {
    val kept = messagesOf(stream, table)
    val dropped = Option(offered).filter(_ => inputs(place(stream)).origin.nonEmpty).toVector.flatMap { all =>
      val left = kept.flatMap { case (_, message) => format.origin(message) }.toSet
      messagesOf(stream, all).filter { case (_, message) => format.origin(message).exists(!left.contains(_)) }
    }
    staged ++= kept
    withheld ++= dropped
  }

  private def messagesOf(stream: String, table: Array[Byte]): Vector[(String, Message)] = {
    val at   = place(stream)
    val row  = UnsafeProjection.create(inputs(at).schema)
    var some = Vector.empty[(String, Message)]
    ArrowTables.read(table)(read => some :+= (stream -> Message(at, row(read).copy())))
    some
  }

  /** Runs one step: applies the added rows, then the watermark, at a processing time. Null means unchanged. */
  final def step(watermark: java.lang.Long, processingTime: java.lang.Long): Unit = active {
    val (messages, dropped) = (staged, withheld)
    unstage()
    running.follow(messages, bound(watermark), bound(processingTime), dropped)
  }

  private def unstage(): Unit = {
    staged = Vector.empty
    withheld = Vector.empty
  }

  /** Advances the watermark of a stream, or of all streams if `stream` is null. */
  final def advance(stream: String, watermark: Long): Unit = active {
    if (stream == null) running.advanceWatermark(watermark) else running.advanceWatermark(stream, watermark)
  }

  /** Advances the processing time, and the watermark unless that is null. */
  final def timeout(processingTime: Long, watermark: java.lang.Long): Unit =
    active(running.timeout(processingTime, bound(watermark)))

  /** Ends the input, so that every window completes. */
  final def finish(): Unit = active(running.finish())

  /** Emits the outputs that were held back while the consumer was full. */
  final def drain(): Unit = active {
    running.drain()
    ()
  }

  /** Returns the outputs that `beforeSend` has not received, or null if there are none. */
  final def newOutputs(): Array[Byte] = active(outbox.newOutputs())

  /** Replaces these outputs by the result of `beforeSend`. */
  final def replaceNew(table: Array[Byte], rows: Int): Unit = active {
    outbox.replaceNew(table, rows)
    release()
  }

  /** Returns a copy of the waiting outputs, in firing order, without the first `known` tables. */
  final def waiting(known: Int): Array[Byte] = active(outbox.waiting(known))

  /** Returns the outputs to send, or null if there are none. */
  final def unsent(): Array[Byte] = if (outbox.size == 0) null else waiting(0)

  /** Receives whether the consumer accepted the outputs. If it did, persists the state that led to them. While it has
    * not, no rows may be added, and time does not release outputs.
    */
  final def answer(isAccepted: Boolean): Unit = active {
    outbox.answer(isAccepted)
    release()
  }

  private def release(): Unit = {
    running.release()
    ()
  }

  /** Acknowledges the outputs: persists the state that led to them, and removes them. */
  final def flush(): Unit = active(running.flush())

  /** Returns the waiting outputs and removes them. Nothing is persisted before `flush`. */
  final def outputs(): Array[Byte] = {
    val out = waiting(0)
    outbox.clear()
    out
  }

  /** Returns the rejected rows since the last call. */
  final def rejected(): Array[Byte] = active(rejections.write(running.takeRejected()))

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

  /** Serializes everything, with the waiting outputs. Nothing is persisted.
    *
    * @param more
    *   what Python adds, or null
    */
  final def checkpoint(more: Array[Byte] = null): Array[Byte] = active {
    val out = new ByteWriter(4096)
    out.bytes(running.checkpoint())
    out.bytes(Option(more).getOrElse(Array.emptyByteArray))
    out.sealedResult()
  }

  /** Discards the present state without emitting anything, and continues from a checkpoint, or from empty state if
    * `checkpoint` is null. `flush` persists the result.
    *
    * @return
    *   what Python added to the checkpoint
    */
  final def reset(checkpoint: Array[Byte]): Array[Byte] = active {
    val parts = Option(checkpoint).map(ByteReader.unsealed(_, "the checkpoint")).map(in => (in.bytes(), in.bytes()))
    discarding(parts.fold(running.reset()) { case (state, _) => running.reset(state) })
    unstage()
    parts.fold(Array.emptyByteArray)(_._2)
  }

  /** Runs a reset, and discards everything else that belongs to the state before it. */
  protected def discarding(reset: => Unit): Unit = reset

  /** Reads a key from a table of one row with the columns of `keyColumns`, or returns None for null. */
  protected final def keyOf(table: Array[Byte]): Option[UnsafeRow] = Option(table).map { bytes =>
    var key = Option.empty[UnsafeRow]
    ArrowTables.read(bytes)(row => key = Some(projectKey(row).copy()))
    key.get
  }

  private lazy val projectKey = UnsafeProjection.create(inputs.head.key.zipWithIndex.map { case ((_, key), i) =>
    SparkInside.normalized(BoundReference(i, key.dataType, nullable = true))
  })

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
    opened.foreach(_.operator.close())
    opened = None
    unstage()
  }
}
