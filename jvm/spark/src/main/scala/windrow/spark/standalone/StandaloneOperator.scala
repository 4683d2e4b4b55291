package windrow.spark.standalone

import java.nio.file.Paths
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.windrow.ArrowTables
import org.apache.spark.sql.windrow.SparkInside
import scala.jdk.CollectionConverters._
import windrow.ErrorConditions
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.InMemoryShardStore
import windrow.core.state.ShardStore
import windrow.operators.Context
import windrow.operators.RocksStore
import windrow.operators.WindowOperator
import windrow.spark.input.PlainText
import windrow.spark.shards.GuardSettings

/** An operator as Python drives it: numbers in microseconds and tables as Arrow streams, in and out. What Python may
  * override stands in Python, so nothing is called back. Not safe for several threads.
  *
  * @param stated
  *   what a checkpoint was made with and goes on with, in words
  * @param read
  *   by aggregates, over the columns
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

  /** With the guards of the session. */
  protected final def context(name: String, store: ShardStore): Context[Message, Output] =
    Context(name, store, guards = GuardSettings(session))

  private val fixed = stated ++ Seq(
    inputs.map(_.describeOrigin).mkString("messages ", "; ", ""),
    PlainText.zones(read ++ inputs.flatMap(_.gap)).mkString("session time zones (", ", ", ")"))

  private lazy val format = new RowFormat(inputs)
  private val rejections  = new RejectedTable(inputs)

  private var operator   = Option.empty[Running]
  private var belongings = Option.empty[OperatorMetadata]
  private var staged     = Vector.empty[(String, Message)]
  private var withheld   = Vector.empty[(String, Message)]
  private var shown      = 0 // outputs that were handed out and not flushed
  private var refused    = Vector.empty[Refused]
  private var clock      = Option.empty[Long]

  protected final def running: Running = operator.getOrElse(throw new IllegalStateException(
    ErrorConditions.message("NOT_OPEN.STATE", "operator" -> "the operator")))

  /** Opens the state: that of a folder, or null: a new one in memory. */
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

  /** An empty table that shows the columns of a stream. */
  final def inputColumns(stream: String): Array[Byte] =
    ArrowTables.write(inputs(place(stream)).declared, Iterator.empty)

  /** Its event time is of no zone: as if of UTC. */
  final def isTimeWithoutZone(stream: String): Boolean = inputs(place(stream)).timeType == TimestampNTZType

  /** An empty table that shows the columns of the key. */
  final def keyColumns(): Array[Byte] = ArrowTables.write(keySchema, Iterator.empty)

  private def keySchema = StructType(inputs.head.key.map { case (name, key) => StructField(name, key.dataType) })

  private def place(stream: String): Int = inputs.indexWhere(_.name == stream)

  /** Messages for the next step; a table with exactly the columns of the stream. */
  final def add(stream: String, table: Array[Byte]): Unit = {
    staged ++= messagesOf(stream, table)
  }

  /** Messages as they came to `beforeProcess`, once what it left is added: of those that are missing there, the next step
    * marks the offsets as applied. Without offsets nothing is to be marked.
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

  /** One step: what was added, then the watermark, judged at a processing time; null: unchanged. */
  final def step(watermark: java.lang.Long, processingTime: java.lang.Long): Unit =
    step(Option(watermark).map(_.longValue), Option(processingTime).map(_.longValue))

  private def step(watermark: Option[Long], processingTime: Option[Long]): Unit = judged(processingTime) {
    val (messages, apart) = (staged, withheld)
    staged = Vector.empty
    withheld = Vector.empty
    running.follow(messages, watermark, processingTime, apart)
  }

  /** The watermark of a stream moves on; null: that of all. */
  final def advance(stream: String, watermark: Long): Unit = judged(None) {
    if (stream == null) running.advanceWatermark(watermark) else running.advanceWatermark(stream, watermark)
  }

  /** Processing time moves on, and the watermark with it, if that is not null. */
  final def timeout(processingTime: Long, watermark: java.lang.Long): Unit = judged(Some(processingTime)) {
    running.timeout(processingTime, Option(watermark).map(_.longValue))
  }

  /** The input is over: every window is complete. */
  final def finish(): Unit = judged(None)(running.finish())

  /** What a full downstream held back follows. */
  final def drain(): Unit = judged(None) {
    running.drain()
    ()
  }

  /** The downstream is full: no message may come, and time waits with what it would release; or it is not any more. */
  final def hold(isFull: Boolean): Unit = running.hold(isFull)

  /** Runs what may be a step. What it refuses was judged by the watermark before it. */
  private def judged(processingTime: Option[Long])(code: => Unit): Unit = active {
    val before = instant
    val now    = Seq(clock, processingTime).flatten.maxOption
    code
    clock = now
    refused ++= running.takeRejected().map(one => Refused(one.message, one.reason, before, clock))
  }

  private def mark: Option[Long] = Option(running.watermark).filter(_.isDefined).map(_.micros)

  /** None at the end of the input, too (SEMANTICS R71). */
  private def instant: Option[Long] = Option(running.watermark).flatMap(_.instant)

  /** The outputs since they were last asked for, in firing order. */
  final def outputs(): Array[Byte] = active {
    val all = running.getResult()
    val out = written(all.drop(shown))
    shown = all.size
    out
  }

  final def hasOutputs: Boolean = running.getResult().size > shown

  /** The refused messages since they were last asked for. */
  final def rejected(): Array[Byte] = active {
    val out = rejections.write(refused)
    refused = Vector.empty
    out
  }

  /** The outputs are taken: persists what led to them, and forgets them. */
  final def flush(): Unit = {
    running.flush()
    belongings.foreach(_.keep(mark))
    shown = 0
  }

  /** Others have the outputs now, but nothing is persisted before `flush`. */
  final def forget(): Unit = {
    running.forget()
    shown = 0
  }

  /** What became of the messages so far, by name; those that were refused by reason. */
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

  /** Everything but the outputs that wait, as bytes; nothing is persisted. */
  final def checkpoint(): Array[Byte] = {
    val out = new ByteWriter(4096)
    OperatorMetadata.write(fixed, mark, out)
    out.bytes(running.image())
    out.sealedResult()
  }

  /** Drops what is there without a word, and goes on from a checkpoint; null: from nothing. `flush` persists it. */
  final def reset(checkpoint: Array[Byte]): Unit = active {
    val from = Option(checkpoint).map(ByteReader.unsealed(_, "the checkpoint"))
    from.foreach(OperatorMetadata.check(_, fixed))
    try from.fold(running.reset())(in => running.reset(in.bytes()))
    catch {
      case failed: Throwable => // a refused one leaves the outputs, a step behind it that fails does not
        shown = math.min(shown, running.getResult().size)
        throw failed
    }
    staged = Vector.empty
    withheld = Vector.empty
    refused = Vector.empty
    shown = 0
    dropped()
  }

  /** What is there is dropped. */
  protected def dropped(): Unit = ()

  /** A key of one row with the columns of `keyColumns`; null: all keys. */
  protected final def keyOf(table: Array[Byte]): Option[UnsafeRow] = Option(table).map { bytes =>
    var key = Option.empty[UnsafeRow]
    ArrowTables.read(bytes)(row => key = Some(keyOf(row)))
    key.get
  }

  private lazy val projectKey = UnsafeProjection.create(inputs.head.key.zipWithIndex.map { case ((_, key), i) =>
    SparkInside.normalized(BoundReference(i, key.dataType, nullable = true))
  })

  protected final def keyOf(row: InternalRow): UnsafeRow = projectKey(row).copy()

  /** Messages of a stream in a closed range of event time or of offsets, in order; null: open.
    *
    * @param key
    *   one row with the columns of `keyColumns`; null: all keys
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

  /** Windows that overlap a closed range of event time, in order of start and end. */
  def windows(start: java.lang.Long, end: java.lang.Long, key: Array[Byte]): Array[Byte] =
    throw new UnsupportedOperationException(ErrorConditions.message("NO_WINDOWS.OPERATOR"))

  /** Frees everything; nothing may be called after. */
  final def close(): Unit = {
    operator.foreach(_.close())
    operator = None
    belongings = None
    staged = Vector.empty
    refused = Vector.empty
  }
}
