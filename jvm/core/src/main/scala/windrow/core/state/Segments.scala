package windrow.core.state

import windrow.ErrorConditions

/** Where the pieces of the runs of all keys of a shard are stored, by numbers that are never used again. */
private[core] final class Segments(name: String, store: Spaces) {
  private val space = store.space(name)
  private var last  = 0L

  /** How many values were put into [[KeyPages]] here, less those that were removed, since this object was made. */
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
