package windrow.core.state

/** Counts the values that are read. */
private[core] final class CountingStore extends ShardStore {
  private val inner = new InMemoryShardStore
  var reads         = 0

  def header: Array[Byte]                 = inner.header
  def putHeader(bytes: Array[Byte]): Unit = inner.putHeader(bytes)
  def space(name: String): Space = {
    val of = inner.space(name)
    new Space {
      def get(id: Long): Array[Byte]              = { reads += 1; of.get(id) }
      def put(id: Long, bytes: Array[Byte]): Unit = of.put(id, bytes)
      def remove(id: Long): Unit                  = of.remove(id)
    }
  }
}
