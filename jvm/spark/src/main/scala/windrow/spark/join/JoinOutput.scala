package windrow.spark.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.core.grid.SliceGrid
import windrow.core.join.{JoinEffect, JoinRow}
import windrow.core.time.Axis
import windrow.spark.output.{CountColumns, PacketOutput}
import windrow.spark.rows.{RowFrame, RowShape}
import windrow.{JoinSpec, Never, SharedWindows, WindowKind, Within}

/** The formats of joined and rejected rows that a shard of a join emits.
  *
  * @param keys
  *   types of the equality columns
  * @param streams
  *   names of the streams, and the types of their rows
  * @param windows
  *   the windows that the streams share; None for sessions, because the session of a joined row may still grow
  * @param isAsOf
  *   whether rows show if they are retractions
  */
final class JoinSchema(
    val keys: Seq[DataType],
    val streams: IndexedSeq[(String, StructType)],
    val windows: Option[WindowKind],
    val isAsOf: Boolean = false)
    extends Serializable {

  /** The types of a joined row: the keys, one row of each stream, and the window that joins them or whether it is a
    * retraction.
    */
  def row: Seq[DataType] = keys ++ streams.map(_._2) ++ windows.toSeq.flatMap(_ => Seq(LongType, LongType)) ++
    Option.when(isAsOf)(BooleanType)

  val messagesAt: Int = keys.size
  val windowAt: Int   = messagesAt + streams.size

  /** The position of the mark of a retraction, if the join is an as-of join, which has no windows. */
  def retractionAt: Int = windowAt

  /** The types of a rejected row: the rejection, and one row of each stream, of which one is not null. */
  def rejected: Seq[DataType] = JoinSchema.Rejection ++ streams.map(_._2)
}

object JoinSchema {
  val RowKind      = 0
  val RejectedKind = 1

  /** Stream, reason, watermark, processing time. */
  val Rejection: Seq[DataType] = Seq(StringType, StringType, LongType, LongType)

  val Counts: CountColumns = CountColumns(CountColumns.Rows)

  /** Whether rows of a join can be retracted. */
  def corrects(spec: JoinSpec): Boolean = isAsOf(spec) && spec.early != Never

  def isAsOf(spec: JoinSpec): Boolean = spec.within.isInstanceOf[Within.AsOf]
}

/** Writes the output of a shard of a join. */
private[join] final class JoinOutput(schema: JoinSchema) extends PacketOutput(JoinSchema.Counts) {
  private val row       = new RowFrame(schema.row.size)
  private val keys      = new row.Part(0, schema.keys)
  private val rejection = UnsafeProjection.create(schema.rejected.toArray)
  private val keyShape  = new RowShape(schema.keys)
  private val names     = schema.streams.map { case (name, _) => UTF8String.fromString(name) }
  private val shapes    = schema.streams.map { case (_, of) => new RowShape(of.map(_.dataType)) }
  private val streams   = schema.streams.indices
  private val grid = schema.windows.map(Within.SameWindow(_).checked).flatMap {
    case SharedWindows.Aligned(windows) => Some(windows.grid)
    case _: SharedWindows.Sessions      => None
  }

  def row(joined: JoinRow): Unit = {
    val key   = keyShape.of(joined.messages.find(_.isDefined).get.get.key.bytes)
    var apart = keys.apart(key)
    streams.foreach(stream => apart += sizeOf(stream, payload(joined, stream)))
    row.begin(begin(JoinSchema.RowKind), apart)
    keys.put(key)
    streams.foreach(stream => row.put(schema.messagesAt + stream, payload(joined, stream)))
    grid.foreach(putWindow(_, joined.messages.flatten.map(_.time)))
    if (schema.isAsOf) row.put(schema.retractionAt, joined.isRetraction)
  }

  /** Returns a row as bytes, the form in which one row contains another, or null for a missing row. */
  private def payload(joined: JoinRow, stream: Int): Array[Byte] =
    if (stream < joined.messages.size) joined.messages(stream).fold(null: Array[Byte])(_.payload) else null

  private def sizeOf(stream: Int, payload: Array[Byte]): Int =
    if (payload == null) 0 else messageOf(stream, payload).getSizeInBytes

  /** Writes the first window that contains all rows. */
  private def putWindow(grid: SliceGrid[Axis.Time], times: Seq[Long]): Unit = {
    val start = grid.firstStart(times.max)
    row.put(schema.windowAt, start)
    row.put(schema.windowAt + 1, grid.end(start))
  }

  def rejected(refused: JoinEffect.Reject, processingTime: Long): Unit = {
    val row = new GenericInternalRow(schema.rejected.size)
    row.update(0, names(refused.stream))
    row.update(1, UTF8String.fromString(refused.reason.toString))
    refused.watermark.instant.foreach(row.update(2, _))
    row.update(3, processingTime)
    row.update(JoinSchema.Rejection.size + refused.stream, messageOf(refused.stream, refused.message.payload))
    reject(JoinSchema.RejectedKind, rejection(row), refused.reason)
  }

  private def messageOf(stream: Int, payload: Array[Byte]): UnsafeRow = shapes(stream).of(payload)
}
