package windrow.core.state

import java.util.Arrays
import scala.collection.mutable.ArrayBuffer

/** The entries of a tree's root about its parts, cut into blocks that are stored separately, so that a step writes only
  * the blocks that it changes. The number of a part decides whether a block ends after it, so that inserting or
  * removing parts does not shift the later blocks.
  */
private[core] final class RootBlocks(segments: Segments) {
  import RootBlocks._

  /** @param first
    *   number of its first part
    */
  private final class Block(val id: Long, val first: Long, val size: Int, val bytes: Array[Byte])

  private var blocks = Vector.empty[Block]

  /** @param number
    *   returns the number of a part
    */
  def write[P](parts: Iterable[P], number: P => Long, out: ByteWriter)(one: (P, ByteWriter) => Unit): Unit = {
    val before = blocks.map(block => block.first -> block).toMap
    val now    = Vector.newBuilder[Block]
    ByteWriter.lent { some =>
      var (first, size) = (0L, 0)
      parts.foreach { part =>
        if (size == 0) first = number(part)
        one(part, some)
        size += 1
        if (isLast(number(part), size)) {
          now += stored(before.get(first), first, size, some)
          some.clear()
          size = 0
        }
      }
      blocks = now.result()
      val kept = blocks.iterator.map(_.id).toSet
      before.valuesIterator.map(_.id).filterNot(kept).foreach(segments.remove)
      out.count(blocks.size.toLong)
      blocks.foreach { block =>
        out.count(block.id)
        out.count(block.size.toLong)
      }
      out.count(size.toLong)
      out.append(some.array, 0, some.size)
    }
  }

  private def stored(before: Option[Block], first: Long, size: Int, content: ByteWriter): Block = {
    val bytes = content.result()
    before.filter(block => Arrays.equals(block.bytes, bytes)).getOrElse {
      val id = before.fold(segments.newId())(_.id)
      segments.write(id, content)
      new Block(id, first, size, bytes)
    }
  }

  def read[P](in: ByteReader, number: P => Long)(one: ByteReader => P): ArrayBuffer[P] = {
    val all = new ArrayBuffer[P]
    blocks = Vector.fill(in.size())(in.count() -> in.count()).map { case (id, size) =>
      segments.read(id) { of =>
        val bytes = Arrays.copyOfRange(of.array, of.position, of.position + of.left)
        val parts = ArrayBuffer.fill(of.fitting(size))(one(of))
        if (parts.isEmpty) throw of.damaged("it has no parts")
        all ++= parts
        new Block(id, number(parts.head), parts.size, bytes)
      }
    }
    all ++= ArrayBuffer.fill(in.size())(one(in))
  }

  /** Removes all blocks, because the tree is empty or its only part is stored in its root. */
  def clear(): Unit = {
    blocks.foreach(block => segments.remove(block.id))
    blocks = Vector.empty
  }
}

private object RootBlocks {

  /** Minimum number of parts in a block; the average is twice as many. */
  private val Least = 32
  private val Most  = 256

  private def isLast(number: Long, size: Int): Boolean =
    size >= Most || size >= Least && ((number * 0x9e3779b97f4a7c15L) >>> 59) == 0
}
