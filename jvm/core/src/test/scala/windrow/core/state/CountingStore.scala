package windrow.core.state

/** A store that counts the values that are read, and the bytes that are read and written. */
private[core] final class CountingStore extends ShardStore {
  private val inner           = new InMemoryShardStore
  var reads                   = 0
  var bytesRead, bytesWritten = 0L

  /** Returns the number of values in a space. */
  def values(space: String): Int = inner.entries.count(_._1 == space)

  def header: Array[Byte] = inner.header
  def putHeader(bytes: Array[Byte]): Unit = {
    bytesWritten += bytes.length.toLong
    inner.putHeader(bytes)
  }

  def space(name: String): Space = {
    val of = inner.space(name)
    new Space {
      def get(id: Long): Array[Byte] = {
        reads += 1
        val bytes = of.get(id)
        if (bytes != null) bytesRead += bytes.length.toLong
        bytes
      }
      def put(id: Long, bytes: Array[Byte]): Unit = {
        bytesWritten += bytes.length.toLong
        of.put(id, bytes)
      }
      def remove(id: Long): Unit = of.remove(id)
    }
  }
}
