package windrow.spark.output

import java.util.Locale
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.Pane
import windrow.Reason
import windrow.Timing
import windrow.WindowKind
import windrow.core.policy.WindowEvent
import windrow.core.state.Key
import windrow.core.time.Watermark
import windrow.spark.rows.RowShape
import windrow.spark.rows.Rows

/** The rows in which panes, rejected messages, events and answers leave a shard, each kind with columns of its own.
  *
  * @param keys
  *   types of the key columns
  * @param results
  *   types of the functions' results
  * @param message
  *   type of the original row
  * @param window
  *   None: windows by policies, of which events are told too
  * @param panesShowMessage
  *   they carry the message that their window belongs to
  * @param answers
  *   types of the row that asks and of the rows that it gets, where a lookup stream asks for what is kept
  */
final class OutputSchema(
    val keys: Seq[DataType],
    val results: Seq[DataType],
    val message: StructType,
    val window: Option[WindowKind],
    val panesShowMessage: Boolean = false,
    val answers: Option[(StructType, StructType)] = None)
    extends Serializable {

  /** Keys, pane, results; then the message, if panes show it. */
  def pane: Seq[DataType] = keys ++ OutputSchema.Pane ++ results ++ Option.when(panesShowMessage)(message)

  val paneAt: Int    = keys.size
  val resultsAt: Int = paneAt + OutputSchema.Pane.size
  val messageAt: Int = resultsAt + results.size

  /** Rejection, message. */
  def rejected: Seq[DataType] = OutputSchema.Rejection :+ message

  /** Keys, event, messages. */
  def event: Seq[DataType] = keys ++ OutputSchema.Event :+ ArrayType(message, containsNull = false)

  val eventAt: Int = keys.size

  /** The row that asks, and those that it gets. */
  def answer: Seq[DataType] =
    answers.toSeq.flatMap { case (asks, gets) => Seq(asks, ArrayType(gets, containsNull = false)) }
}

object OutputSchema {
  val PaneKind     = 0
  val RejectedKind = 1
  val EventKind    = 2
  val AnswerKind   = 3

  /** start, end, timing, index, is_last, is_retraction, source, partition */
  val Pane: Seq[DataType] =
    Seq(LongType, LongType, StringType, LongType, BooleanType, BooleanType, StringType, LongType)

  /** reason, watermark, processing time */
  val Rejection: Seq[DataType] = Seq(StringType, LongType, LongType)

  /** Panes by their timing; what is taken back is none of these. */
  val Counts: CountColumns =
    CountColumns("panes", Timing.All.map(_.toString.toLowerCase(Locale.ROOT)) :+ "withdrawn", windows = true)
  private[output] val Withdrawn = Timing.All.size

  /** event, number of its window, sequence */
  val Event: Seq[DataType] = Seq(StringType, LongType, LongType)
}

/** Writes what a shard gives. */
final class OutputRow(schema: OutputSchema) extends PacketOutput(OutputSchema.Counts) {
  private val keyShape     = new RowShape(schema.keys)
  private val messageShape = new RowShape(schema.message.map(_.dataType))
  private val panes        = new PaneRows(schema)
  private val shown        = new JoinedRow
  private val message      = new GenericInternalRow(1)
  private val texts        = scala.collection.mutable.HashMap.empty[AnyRef, UTF8String]

  // Of most of them a task writes none.
  private lazy val rejection = new OutputRow.Whole(schema.rejected)
  private lazy val event     = new OutputRow.Whole(schema.event)
  private lazy val answer    = new OutputRow.Whole(schema.answer)

  def pane(fired: Pane[Key, InternalRow]): Unit = {
    count(if (fired.isRetraction) OutputSchema.Withdrawn else fired.timing.code.toInt)
    val values = fired.message.fold(fired.value) { bytes =>
      message.update(0, messageShape.of(bytes))
      shown(fired.value, message)
    }
    put(OutputSchema.PaneKind, panes(keyShape.of(fired.key.bytes), fired, values))
  }

  def rejected(raw: Array[Byte], reason: Reason, watermark: Watermark, processingTime: Long): Unit = reject(
    OutputSchema.RejectedKind,
    rejection(text(reason), watermark.instant.map(Long.box).orNull, processingTime, messageShape.of(raw)),
    reason)

  def event(key: Key, event: WindowEvent[Array[Byte]], window: Long, sequence: Long): Unit = {
    val values   = keyShape.of(key.bytes)
    val messages = new GenericArrayData(event.messages.map(bytes => messageShape.of(bytes)).toArray[Any])
    val keys     = schema.keys.indices.map(i => values.get(i, schema.keys(i)))
    put(OutputSchema.EventKind, this.event(keys ++ Seq[Any](text(event.kind), window, sequence, messages): _*))
  }

  /** @param asks
    *   the row of the lookup stream
    */
  def answer(asks: Array[Byte], gets: Seq[InternalRow]): Unit = {
    val lookup = schema.answers.map { case (lookups, _) => Rows.of(asks, lookups.size) }
    put(OutputSchema.AnswerKind, answer(lookup.orNull, new GenericArrayData(gets.toArray[Any])))
  }

  private def text(word: AnyRef): UTF8String = texts.getOrElseUpdate(word, UTF8String.fromString(word.toString))
}

private object OutputRow {

  /** Makes rows of their values. */
  private final class Whole(types: Seq[DataType]) {
    private val row     = new GenericInternalRow(types.size)
    private val project = UnsafeProjection.create(types.toArray)

    def apply(values: Any*): UnsafeRow = {
      values.zipWithIndex.foreach { case (value, i) => row.update(i, value) }
      project(row)
    }
  }
}
