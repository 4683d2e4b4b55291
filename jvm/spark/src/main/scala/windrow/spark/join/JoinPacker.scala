package windrow.spark.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import windrow.core.operator.Origin
import windrow.core.state.{ByteReader, ByteWriter, Key}
import windrow.core.store.{Incoming, OriginCodec}
import windrow.spark.pack.{PackTask, ShardHash}
import windrow.spark.packet.{Packer, PacketFlag, SeenOffsets}
import windrow.spark.rows.{Rows, SourceName}

/** Packs the rows of one stream of a join; see [[JoinPack]]. */
private[join] final case class JoinPacking(
    stream: Int,
    name: String,
    keys: Seq[Expression],
    time: Expression,
    sender: Seq[Expression],
    message: Expression,
    end: Seq[Expression],
    shards: Int)
    extends PackTask {
  def packer(schema: Seq[Attribute]): Packer = new JoinPacker(this, schema)
}

/** Writes rows as entries of [[JoinEntry]]. */
private final class JoinPacker(packing: JoinPacking, schema: Seq[Attribute]) extends Packer {
  private val key     = UnsafeProjection.create(packing.keys, schema)
  private val message = Rows.ofStruct(packing.message, schema)
  private val fields  = UnsafeProjection.create(packing.time +: packing.sender, schema)

  /** The position of the time column, if rows have no offsets; otherwise -1. */
  private val timeAt = if (packing.sender.nonEmpty) -1 else schema.indexWhere(_.semanticEquals(packing.time))

  private var lastKey: UnsafeRow = _

  val isEnd: InternalRow => Boolean = Packer.isEnd(packing.end, schema)

  def notices: Seq[Array[Byte]] = Packer.notice(seen, goesByOffsets = false)

  def begin(): Unit = seen = new SeenOffsets

  /** The offsets of the written rows. */
  private var seen = new SeenOffsets

  def shard(row: InternalRow): Int = {
    lastKey = key(row)
    ShardHash(lastKey, packing.shards)
  }

  def write(row: InternalRow, out: ByteWriter): Array[Byte] = {
    if (timeAt >= 0) write(out, Option.unless(row.isNullAt(timeAt))(row.getLong(timeAt)), None, message(row))
    else {
      val values = fields(row)
      val from = Option.when(packing.sender.nonEmpty && !values.isNullAt(1) && !values.isNullAt(2))(
        Origin(
          Origin.sourceIn(packing.name, SourceName.of(values.getUTF8String(3))),
          values.getLong(1),
          values.getLong(2)))
      from.foreach(seen.add)
      write(out, Option.unless(values.isNullAt(0))(values.getLong(0)), from, message(row))
    }
    null
  }

  private def write(out: ByteWriter, time: Option[Long], from: Option[Origin], message: UnsafeRow): Unit =
    JoinEntry.write(out, packing.stream, lastKey, time, from, message)
}

/** The format of a row of a stream in a packet. */
object JoinEntry {
  import PacketFlag._

  /** Writes a row. */
  def write(
      out: ByteWriter,
      stream: Int,
      key: UnsafeRow,
      time: Option[Long],
      origin: Option[Origin],
      message: UnsafeRow): Unit = {
    out.byte((if (time.isDefined) Time else 0) | (if (origin.isDefined) Sender else 0))
    out.count(stream.toLong)
    Rows.write(key, out)
    time.foreach(out.long)
    origin.foreach { from =>
      OriginCodec.write(from, out)
    }
    Rows.write(message, out)
  }

  /** Reads the rows of a packet, with their stream.
    *
    * @param streams
    *   the number of streams
    */
  def read(packet: Array[Byte], streams: Int): Iterator[(Int, Incoming)] = {
    val in = ByteReader(packet)
    def streamOf(number: Long): Int =
      if (number >= 0 && number < streams) number.toInt else throw in.damaged(s"there is no stream $number")
    new Iterator[(Int, Incoming)] {
      def hasNext: Boolean = in.hasNext
      def next(): (Int, Incoming) = {
        val flags  = in.byte().toInt
        val stream = streamOf(in.count())
        val key    = new Key(in.bytes())
        val time   = Option.when((flags & Time) != 0)(in.long())
        val origin = Option.when((flags & Sender) != 0)(OriginCodec.read(in))
        (stream, Incoming(key, time, origin, in.bytes()))
      }
    }
  }
}
