package windrow.core.store

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.DamagedStateError
import windrow.core.state.ShardStore

/** Where the runs of a shard put their segments: each is one stored value under a number of its own. */
private[core] final class Segments(name: String, store: ShardStore) {
  private val space = store.space(name)
  private var next  = 0L

  def newId(): Long = { next += 1; next }

  def read(id: Long): ByteReader = {
    val bytes = space.get(id)
    if (bytes == null) throw new DamagedStateError(s"[STATE_DAMAGED] segment $id of $name is missing.")
    ByteReader.unsealed(bytes, s"segment $id of $name")
  }

  def write(id: Long, out: ByteWriter): Unit = space.put(id, out.sealedResult())
  def remove(id: Long): Unit                 = space.remove(id)

  def readDirectory(in: ByteReader): Unit   = next = in.count()
  def writeDirectory(out: ByteWriter): Unit = out.count(next)
}
