package windrow.spark.output

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.Pane
import windrow.Reason
import windrow.WindowKind
import windrow.core.operator.Counters
import windrow.core.policy.WindowEvent
import windrow.core.state.Key
import windrow.core.time.Watermark
import windrow.spark.rows.RowShape
import windrow.spark.rows.Rows

/** The one row type in which panes, rejected messages and counts leave a shard.
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

  val hasEvents: Boolean = window.isEmpty

  private val event: Seq[DataType] =
    if (hasEvents) OutputSchema.Event :+ ArrayType(message, containsNull = false) else Nil

  private val answer: Seq[DataType] =
    answers.toSeq.flatMap { case (asks, gets) => Seq(asks, ArrayType(gets, containsNull = false)) }

  /** `kind`, keys, pane, results, rejection, event, answer, counts. */
  val types: Seq[DataType] =
    Seq(
      IntegerType) ++ keys ++ OutputSchema.Pane ++ results ++ (OutputSchema.Rejection :+ message) ++ event ++ answer ++
      OutputSchema.Counts.types

  val paneAt: Int      = 1 + keys.size
  val resultsAt: Int   = paneAt + OutputSchema.Pane.size
  val rejectionAt: Int = resultsAt + results.size
  val messageAt: Int   = rejectionAt + OutputSchema.Rejection.size
  val eventAt: Int     = messageAt + 1
  val answerAt: Int    = eventAt + event.size
  val countsAt: Int    = answerAt + answer.size
}

object OutputSchema {
  val PaneKind     = 0
  val RejectedKind = 1
  val CountsKind   = 2
  val EventKind    = 3
  val AnswerKind   = 4

  /** start, end, timing, index, is_last, is_retraction, source, partition */
  val Pane: Seq[DataType] =
    Seq(LongType, LongType, StringType, LongType, BooleanType, BooleanType, StringType, LongType)

  /** reason, watermark, processing time; then the message */
  val Rejection: Seq[DataType] = Seq(StringType, LongType, LongType)

  val Counts: CountColumns = CountColumns("panes")

  /** event, number of its window, sequence; then the messages */
  val Event: Seq[DataType] = Seq(StringType, LongType, LongType)
}

/** Writes output rows as bytes. */
final class OutputRow(schema: OutputSchema) {
  private val keyShape     = new RowShape(schema.keys)
  private val messageShape = new RowShape(schema.message.map(_.dataType))
  private val types        = schema.types
  private val row          = new SpecificInternalRow(types)
  private val all          = UnsafeProjection.create(types.toArray)
  private val joined       = new JoinedRow
  private val withKey      = new JoinedRow
  private val shown        = new JoinedRow
  private val pane         = new GenericInternalRow(OutputSchema.Pane.size)
  private val message      = new GenericInternalRow(1)
  private val timings      = scala.collection.mutable.HashMap.empty[AnyRef, UTF8String]

  /** From (key, (pane, results, message)) to a whole row. */
  private val paneRow = {
    val parts                     = schema.keys ++ OutputSchema.Pane ++ schema.results
    def part(t: DataType, i: Int) = BoundReference(i, t, nullable = true)
    def none(t: DataType)         = Literal.create(null, t)
    UnsafeProjection.create(
      (Literal(OutputSchema.PaneKind) +: parts.zipWithIndex.map { case (t, i) => part(t, i) }) ++
        OutputSchema.Rejection.map(none) ++
        Seq(if (schema.panesShowMessage) part(schema.message, parts.size) else none(schema.message)) ++
        schema.types.drop(schema.eventAt).map(none))
  }

  def pane(fired: Pane[Key, InternalRow]): Array[Byte] = {
    pane.setLong(0, fired.start)
    pane.setLong(1, fired.end)
    pane.update(2, text(fired.timing))
    pane.setLong(3, fired.index)
    pane.setBoolean(4, fired.isLast)
    pane.setBoolean(5, fired.isRetraction)
    fired.partition.foreach { of =>
      pane.update(6, UTF8String.fromString(of.source))
      pane.setLong(7, of.number)
    }
    val values = joined(pane, fired.value)
    val whole = fired.message.fold[InternalRow](values) { bytes =>
      message.update(0, messageShape.of(bytes))
      shown(values, message)
    }
    paneRow(withKey(keyShape.of(fired.key.bytes), whole)).getBytes
  }

  def rejected(raw: Array[Byte], reason: Reason, watermark: Watermark, processingTime: Long): Array[Byte] = {
    start(OutputSchema.RejectedKind)
    row.update(schema.rejectionAt, text(reason))
    watermark.instant.foreach(row.update(schema.rejectionAt + 1, _))
    row.update(schema.rejectionAt + 2, processingTime)
    row.update(schema.messageAt, messageShape.of(raw))
    all(row).getBytes
  }

  def event(key: Key, event: WindowEvent[Array[Byte]], window: Long, sequence: Long): Array[Byte] = {
    start(OutputSchema.EventKind)
    val values = keyShape.of(key.bytes)
    schema.keys.indices.foreach(i => row.update(1 + i, values.get(i, schema.keys(i))))
    row.update(schema.eventAt, text(event.kind))
    row.update(schema.eventAt + 1, window)
    row.update(schema.eventAt + 2, sequence)
    val messages = event.messages.map(bytes => messageShape.of(bytes))
    row.update(schema.eventAt + 3, new GenericArrayData(messages.toArray[Any]))
    all(row).getBytes
  }

  /** @param asks
    *   the row of the lookup stream
    */
  def answer(asks: Array[Byte], gets: Seq[InternalRow]): Array[Byte] = {
    start(OutputSchema.AnswerKind)
    schema.answers.foreach { case (lookups, _) => row.update(schema.answerAt, Rows.of(asks, lookups.size)) }
    row.update(schema.answerAt + 1, new GenericArrayData(gets.toArray[Any]))
    all(row).getBytes
  }

  def counts(counters: Counters): Array[Byte] = {
    start(OutputSchema.CountsKind)
    OutputSchema.Counts.write(row, schema.countsAt, counters, counters.panes)
    all(row).getBytes
  }

  private def start(kind: Int): Unit = {
    types.indices.foreach(row.setNullAt)
    row.update(0, kind)
  }

  private def text(word: AnyRef): UTF8String = timings.getOrElseUpdate(word, UTF8String.fromString(word.toString))
}
