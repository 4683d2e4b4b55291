package windrow.core.store

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.state.Segments

/** Messages that wait for a pane of their window, in the order in which they came. What has grown large stands apart, written
  * once: a window that waits for long costs a step no more than what comes with it (SEMANTICS S10).
  */
private[core] final class Unsent private (
    private var apart: Vector[Unsent.Apart],
    private var here: Vector[StoredMessage]) {

  def this() = this(Vector.empty, Vector.empty)

  /** One more; there is only one that grows. */
  def add(message: StoredMessage): Unsent = {
    here :+= message
    this
  }

  def and(other: Unsent): Unsent = new Unsent(apart ++ other.apart, here ++ other.here)
}

private[core] object Unsent {

  /** Messages that stand in a segment. */
  private[store] final case class Apart(id: Long, count: Long)

  /** In the place of a number of messages. */
  private val InParts = Int.MaxValue + 1L

  /** The bytes that tell of a part. */
  private val PartInWords = 8

  /** Parts grow with their number, so that to tell them costs no more than to write one. */
  final class Stored(messages: Codec[StoredMessage], segments: Segments, partBytes: Int = 4096) extends Codec[Unsent] {

    def all(unsent: Unsent): Vector[StoredMessage] =
      unsent.apart.flatMap(part => segments.read(part.id)(read(_, part.count))) ++ unsent.here

    /** All of them, which are then not kept any more. */
    def take(unsent: Unsent): Vector[StoredMessage] = {
      val found = all(unsent)
      unsent.apart.foreach(part => segments.remove(part.id))
      found
    }

    def write(unsent: Unsent, out: ByteWriter): Unit = {
      val bytes = new ByteWriter
      unsent.here.foreach(messages.write(_, bytes))
      if (bytes.size >= math.max(partBytes, unsent.apart.size * PartInWords)) {
        val part = Apart(segments.newId(), unsent.here.size.toLong)
        segments.write(part.id, bytes)
        unsent.apart :+= part
        unsent.here = Vector.empty
        bytes.clear()
      }
      if (unsent.apart.nonEmpty) {
        out.count(InParts)
        out.count(unsent.apart.size.toLong)
        unsent.apart.foreach { part =>
          out.count(part.id)
          out.count(part.count)
        }
      }
      out.count(unsent.here.size.toLong)
      out.append(bytes.result())
    }

    def read(in: ByteReader): Unsent = {
      val size = in.count()
      if (size != InParts) new Unsent(Vector.empty, read(in, size))
      else new Unsent(Vector.fill(in.size())(Apart(in.count(), in.count())), read(in, in.count()))
    }

    private def read(in: ByteReader, size: Long): Vector[StoredMessage] =
      Vector.fill(in.fitting(size))(messages.read(in))
  }
}
