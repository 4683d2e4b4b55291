package windrow.spark.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.AlignedWindows
import windrow.core.join.JoinEffect
import windrow.core.join.JoinRow
import windrow.core.operator.Counters
import windrow.core.time.Axis
import windrow.core.window.SliceGrid
import windrow.spark.output.CountColumns
import windrow.spark.rows.Rows

/** The one row type in which rows, rejected messages and counts leave a shard of a join: kind, keys, a message of each
  * stream, rejection, counts, and the window that joins them.
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

  def types: Seq[DataType] =
    (IntegerType +: keys) ++ streams.map(_._2) ++ JoinSchema.Rejection ++ JoinSchema.Counts.types ++
      windows.toSeq.flatMap(_ => Seq(LongType, LongType))

  val messagesAt: Int  = 1 + keys.size
  val rejectionAt: Int = messagesAt + streams.size
  val countsAt: Int    = rejectionAt + JoinSchema.Rejection.size
  val windowAt: Int    = countsAt + JoinSchema.Counts.types.size
}

object JoinSchema {
  val RowKind      = 0
  val RejectedKind = 1
  val CountsKind   = 2

  /** stream, reason, watermark, processing time */
  val Rejection: Seq[DataType] = Seq(StringType, StringType, LongType, LongType)

  val Counts: CountColumns = CountColumns("rows")
}

/** Writes output rows as bytes. */
private[join] final class JoinOutput(schema: JoinSchema) {
  private val all     = UnsafeProjection.create(schema.types.toArray)
  private val streams = schema.streams.map { case (name, of) => (UTF8String.fromString(name), of.size) }
  private val grid    = schema.windows.map(SliceGrid(_))
  private val row     = new GenericInternalRow(schema.types.size)

  def row(joined: JoinRow): Array[Byte] = {
    start(JoinSchema.RowKind)
    val key = Rows.of(joined.messages.flatten.head.key.bytes, schema.keys.size)
    schema.keys.indices.foreach(i => row.update(1 + i, key.get(i, schema.keys(i))))
    joined.messages.zipWithIndex.foreach { case (message, stream) =>
      message.foreach(one => put(stream, one.payload))
    }
    grid.foreach(window(_, joined.messages.flatten.map(_.time)))
    all(row).getBytes
  }

  /** The first one that holds all messages. */
  private def window(grid: SliceGrid[Axis.Time], times: Seq[Long]): Unit = {
    val start = grid.firstStart(times.max)
    row.update(schema.windowAt, start)
    row.update(schema.windowAt + 1, grid.end(start))
  }

  def rejected(refused: JoinEffect.Refuse, processingTime: Long): Array[Byte] = {
    start(JoinSchema.RejectedKind)
    put(refused.stream, refused.message.payload)
    row.update(schema.rejectionAt, streams(refused.stream)._1)
    row.update(schema.rejectionAt + 1, UTF8String.fromString(refused.reason.toString))
    refused.watermark.instant.foreach(row.update(schema.rejectionAt + 2, _))
    row.update(schema.rejectionAt + 3, processingTime)
    all(row).getBytes
  }

  def counts(counters: Counters, rows: Long): Array[Byte] = {
    start(JoinSchema.CountsKind)
    JoinSchema.Counts.write(row, schema.countsAt, counters, rows)
    all(row).getBytes
  }

  private def start(kind: Int): Unit = {
    schema.types.indices.foreach(row.setNullAt)
    row.update(0, kind)
  }

  private def put(stream: Int, payload: Array[Byte]): Unit =
    row.update(schema.messagesAt + stream, Rows.of(payload, streams(stream)._2))
}
