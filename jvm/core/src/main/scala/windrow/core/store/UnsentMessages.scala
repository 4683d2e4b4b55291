package windrow.core.store

import windrow.core.state.{ByteReader, ByteWriter, Codec, Segments}

/** Messages of a window, or rows of a join, that wait to be emitted, in order of arrival. When many are waiting, they
  * move to segments that are written once, so that a key that waits for a long time costs each step only the new ones
  * (SEMANTICS S10).
  */
private[core] final class UnsentMessages[T] private (
    private var apart: Vector[UnsentMessages.StoredPart],
    private var here: Vector[T]) {
  private var countApart = apart.iterator.map(_.count).sum

  def this() = this(Vector.empty, Vector.empty)

  def size: Long = countApart + here.size

  /** Adds one; changes this object. */
  def add(one: T): UnsentMessages[T] = {
    here :+= one
    this
  }

  def and(other: UnsentMessages[T]): UnsentMessages[T] = new UnsentMessages(apart ++ other.apart, here ++ other.here)

  private def setApart(id: Long): Unit = {
    apart :+= UnsentMessages.StoredPart(id, here.size.toLong)
    countApart += here.size
    here = Vector.empty
  }
}

private[core] object UnsentMessages {

  /** Those stored in a segment. */
  private final case class StoredPart(id: Long, count: Long)

  /** Written instead of their number if there are segments. */
  private val InParts = Int.MaxValue + 1L

  /** Approximate size in bytes of a segment's entry. */
  private val PartInWords = 8

  /** Writes and reads them. The size of segments grows with their number, so that writing their entries costs no more
    * than writing one segment.
    */
  final class UnsentCodec[T](each: Codec[T], segments: Segments, partBytes: Int = 4096)
      extends Codec[UnsentMessages[T]] {

    /** All of them; segments are read when the iteration reaches them. */
    def all(unsent: UnsentMessages[T]): Iterator[T] =
      unsent.apart.iterator.flatMap(part => segments.read(part.id)(read(_, part.count))) ++ unsent.here

    def forget(unsent: UnsentMessages[T]): Unit = unsent.apart.foreach(part => segments.remove(part.id))

    /** Returns all of them and removes their segments. */
    def take(unsent: UnsentMessages[T]): Vector[T] = {
      val found = all(unsent).toVector
      forget(unsent)
      found
    }

    def write(unsent: UnsentMessages[T], out: ByteWriter): Unit = {
      val bytes = new ByteWriter
      unsent.here.foreach(each.write(_, bytes))
      if (bytes.size >= math.max(partBytes, unsent.apart.size * PartInWords)) {
        val id = segments.newId()
        segments.write(id, bytes)
        unsent.setApart(id)
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

    def read(in: ByteReader): UnsentMessages[T] = {
      val size = in.count()
      if (size != InParts) new UnsentMessages(Vector.empty, read(in, size))
      else new UnsentMessages(Vector.fill(in.size())(StoredPart(in.count(), in.count())), read(in, in.count()))
    }

    private def read(in: ByteReader, size: Long): Vector[T] = Vector.fill(in.fitting(size))(each.read(in))
  }
}
