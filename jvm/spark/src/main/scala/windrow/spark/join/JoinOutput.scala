package windrow.spark.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.AlignedWindows
import windrow.core.join.JoinEffect
import windrow.core.join.JoinRow
import windrow.core.time.Axis
import windrow.core.window.SliceGrid
import windrow.spark.output.CountColumns
import windrow.spark.output.PacketOutput
import windrow.spark.rows.RowShape

/** The rows in which pairs and rejected messages leave a shard of a join.
  *
  * @param keys
  *   types of the equality fields
  * @param streams
  *   names of the streams and the types of their messages
  * @param windows
  *   that the streams share. Not sessions: those of a row may grow after it
  */
final class JoinSchema(
    val keys: Seq[DataType],
    val streams: IndexedSeq[(String, StructType)],
    val windows: Option[AlignedWindows])
    extends Serializable {

  /** Keys, a message of each stream, the window that joins them. */
  def row: Seq[DataType] = keys ++ streams.map(_._2) ++ windows.toSeq.flatMap(_ => Seq(LongType, LongType))

  val messagesAt: Int = keys.size
  val windowAt: Int   = messagesAt + streams.size

  /** Rejection, a message of each stream, of which one is not null. */
  def rejected: Seq[DataType] = JoinSchema.Rejection ++ streams.map(_._2)
}

object JoinSchema {
  val RowKind      = 0
  val RejectedKind = 1

  /** stream, reason, watermark, processing time */
  val Rejection: Seq[DataType] = Seq(StringType, StringType, LongType, LongType)

  val Counts: CountColumns = CountColumns("rows")
}

/** Writes what a shard of a join gives. */
private[join] final class JoinOutput(schema: JoinSchema) extends PacketOutput(JoinSchema.Counts) {
  private val keys      = schema.keys.toArray
  private val width     = schema.row.size
  private val rows      = UnsafeProjection.create(schema.row.toArray)
  private val rejection = UnsafeProjection.create(schema.rejected.toArray)
  private val keyShape  = new RowShape(schema.keys)
  private val names     = schema.streams.map { case (name, _) => UTF8String.fromString(name) }
  private val shapes    = schema.streams.map { case (_, of) => new RowShape(of.map(_.dataType)) }
  private val grid      = schema.windows.map(SliceGrid(_))

  def row(joined: JoinRow): Unit = {
    val row = new GenericInternalRow(width)
    putKey(joined, row)
    var stream = 0
    while (stream < joined.messages.size) {
      val message = joined.messages(stream)
      if (message.isDefined) row.update(schema.messagesAt + stream, messageOf(stream, message.get.payload))
      stream += 1
    }
    grid.foreach(putWindow(_, joined.messages.flatten.map(_.time), row))
    put(JoinSchema.RowKind, rows(row))
  }

  private def putKey(joined: JoinRow, row: InternalRow): Unit = {
    val key = keyShape.of(joined.messages.find(_.isDefined).get.get.key.bytes)
    var i   = 0
    while (i < keys.length) {
      row.update(i, key.get(i, keys(i)))
      i += 1
    }
  }

  /** The first one that holds all messages. */
  private def putWindow(grid: SliceGrid[Axis.Time], times: Seq[Long], row: InternalRow): Unit = {
    val start = grid.firstStart(times.max)
    row.update(schema.windowAt, start)
    row.update(schema.windowAt + 1, grid.end(start))
  }

  def rejected(refused: JoinEffect.Refuse, processingTime: Long): Unit = {
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
