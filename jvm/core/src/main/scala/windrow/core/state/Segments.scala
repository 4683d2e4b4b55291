package windrow.core.state

import windrow.ErrorConditions

/** Stores byte strings, such as the pages of all keys of a shard, under numbers that are never reused. */
private[core] final class Segments(name: String, store: Spaces) extends StatePart {
  private val space = store.space(name)
  private var last  = 0L

  /** Values put into [[KeyPages]] here minus values removed, since this object was created. */
  var grown = 0L

  def newId(): Long = { last += 1; last }

  def read[T](id: Long)(code: ByteReader => T): T = {
    val bytes = space.get(id)
    if (bytes == null)
      throw new DamagedStateError(ErrorConditions.message("STATE_DAMAGED.SEGMENT", "id" -> id, "name" -> name))
    ByteReader.unsealed(bytes, s"segment $id of $name").decode(code)
  }

  def write(id: Long, out: ByteWriter): Unit = space.put(id, out.sealedResult())
  def remove(id: Long): Unit                 = space.remove(id)

  def readDirectory(in: ByteReader): Unit   = last = in.count()
  def writeDirectory(out: ByteWriter): Unit = out.count(last)
}
