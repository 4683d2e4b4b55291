package windrow.spark.standalone

import java.nio.charset.StandardCharsets.UTF_8
import scala.collection.mutable
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.ShardStore
import windrow.core.state.Space

/** A store on the heap that can be written down whole. */
private[standalone] final class HeapStore extends ShardStore {
  private var head: Array[Byte] = _
  private val spaces            = mutable.TreeMap.empty[String, mutable.TreeMap[Long, Array[Byte]]]

  def header: Array[Byte]                 = head
  def putHeader(bytes: Array[Byte]): Unit = head = bytes

  def space(name: String): Space = {
    val entries = spaces.getOrElseUpdate(name, mutable.TreeMap.empty)
    new Space {
      def get(id: Long): Array[Byte]              = entries.getOrElse(id, null)
      def put(id: Long, bytes: Array[Byte]): Unit = entries(id) = bytes
      def remove(id: Long): Unit                  = { entries -= id; () }
    }
  }

  def write(out: ByteWriter): Unit = {
    out.byte(if (head == null) 0 else 1)
    if (head != null) out.bytes(head)
    out.count(spaces.size.toLong)
    spaces.foreach { case (name, entries) =>
      out.bytes(name.getBytes(UTF_8))
      out.count(entries.size.toLong)
      entries.foreach { case (id, bytes) =>
        out.long(id)
        out.bytes(bytes)
      }
    }
  }

  def read(in: ByteReader): Unit = {
    if (in.byte() == 1) head = in.bytes()
    (0L until in.count()).foreach { _ =>
      val entries = spaces.getOrElseUpdate(new String(in.bytes(), UTF_8), mutable.TreeMap.empty)
      (0L until in.count()).foreach(_ => entries(in.long()) = in.bytes())
    }
  }
}
