package windrow.spark.output

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.core.policy.WindowEvent
import windrow.core.state.Key
import windrow.core.time.Watermark
import windrow.spark.rows.RowShape
import windrow.{Pane, Reason}

/** Writes the output of a shard. */
final class OutputRow(schema: OutputSchema) extends PacketOutput(OutputSchema.Counts) {
  private val keyShape     = new RowShape(schema.keys)
  private val messageShape = new RowShape(schema.message.map(_.dataType))
  private val lookupShape  = schema.answers.map { case (lookups, _) => new RowShape(lookups.map(_.dataType)) }
  private val panes        = new PaneRows(schema)
  private val shown        = new JoinedRow
  private val message      = new GenericInternalRow(1)
  private val texts        = scala.collection.mutable.HashMap.empty[AnyRef, UTF8String]

  // Lazy, because a task writes no rows of most of these kinds.
  private lazy val rejection = new OutputRow.RowBuilder(schema.rejected)
  private lazy val event     = new OutputRow.RowBuilder(schema.event)
  private lazy val answer    = new OutputRow.RowBuilder(schema.answer)

  def pane(fired: Pane[Key, InternalRow]): Unit = {
    count(if (fired.isRetraction) OutputSchema.Withdrawn else fired.timing.code.toInt)
    val values =
      if (fired.message.isEmpty) fired.value
      else {
        message.update(0, messageShape.of(fired.message.get))
        shown(fired.value, message)
      }
    panes.write(keyShape.of(fired.key.bytes), fired, values, begin(OutputSchema.PaneKind))
  }

  /** Writes a rejected row.
    *
    * @param window
    *   the name of the window that rejects it, if there are several
    */
  def rejected(
      raw: Array[Byte],
      reason: Reason,
      watermark: Watermark,
      processingTime: Long,
      window: Option[String] = None): Unit = {
    val name   = if (schema.isNamed) Seq(window.map(text).orNull) else Nil
    val values = Seq[Any](text(reason), watermark.instant.map(Long.box).orNull, processingTime) ++ name
    reject(OutputSchema.RejectedKind, rejection(values :+ messageShape.of(raw): _*), reason)
  }

  def event(key: Key, event: WindowEvent[Array[Byte]], window: Long, sequence: Long): Unit = {
    val values   = keyShape.of(key.bytes)
    val messages = new GenericArrayData(event.messages.map(bytes => messageShape.of(bytes)).toArray[Any])
    val keys     = schema.keys.indices.map(i => values.get(i, schema.keys(i)))
    put(OutputSchema.EventKind, this.event(keys ++ Seq[Any](text(event.kind), window, sequence, messages): _*))
  }

  /** Writes an answer.
    *
    * @param asks
    *   the row of the lookup stream
    */
  def answer(asks: Array[Byte], gets: Seq[InternalRow]): Unit = {
    put(OutputSchema.AnswerKind, answer(lookupShape.map(_.of(asks)).orNull, new GenericArrayData(gets.toArray[Any])))
  }

  private def text(word: AnyRef): UTF8String = texts.getOrElseUpdate(word, UTF8String.fromString(word.toString))
}

private object OutputRow {

  /** Builds rows from values. */
  private final class RowBuilder(types: Seq[DataType]) {
    private val row     = new GenericInternalRow(types.size)
    private val project = UnsafeProjection.create(types.toArray)

    def apply(values: Any*): UnsafeRow = {
      values.zipWithIndex.foreach { case (value, i) => row.update(i, value) }
      project(row)
    }
  }
}
