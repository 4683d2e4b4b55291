package windrow.spark.packet

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.spark.sql.catalyst.expressions.{UnsafeRow, XXH64}
import windrow.core.operator.{Origin, SessionMark}
import windrow.core.time.EventTime
import windrow.core.time.Position.unsigned

/** Encodes a row's place in the order of its step (SEMANTICS T): event time, source, partition, offset, content. For
  * windows on positions, the event time follows the offset. Marks of sessions are a part of the content. The bytes compare as unsigned, the order in which Spark
  * sorts binary columns.
  */
object MessageOrder {

  /** Encodes a place.
    *
    * @param place
    *   a number that precedes the content
    */
  def apply(
      time: Option[Long],
      origin: Option[Origin],
      content: UnsafeRow,
      byPosition: Boolean = false,
      place: Option[Long] = None,
      mark: Option[SessionMark] = None): Array[Byte] = {
    val source    = origin.fold(Array.emptyByteArray)(_.source.getBytes(UTF_8))
    val out       = ByteBuffer.allocate(33 + source.length + place.size * 8 + mark.fold(0)(_.values.bytes.length + 1))
    def putTime() = out.putLong(unsigned(time.getOrElse(EventTime.Min)))
    if (!byPosition) putTime()
    out.put(source).put(0.toByte)
    out.putLong(unsigned(origin.fold(0L)(_.partition.number)))
    out.putLong(unsigned(origin.fold(0L)(_.offset)))
    if (byPosition) putTime()
    place.foreach(out.putLong)
    out.putLong(XXH64.hashUnsafeBytes(content.getBaseObject, content.getBaseOffset, content.getSizeInBytes, 42L))
    mark.foreach(one => out.put((if (one.ends) 1 else 0).toByte).put(one.values.bytes))
    out.array
  }

  /** Encodes the place of a row in the order in which tasks read rows. It is the same if a task is repeated. */
  def ofArrival(task: Int, row: Long): Array[Byte] = ByteBuffer.allocate(12).putInt(task).putLong(row).array
}
