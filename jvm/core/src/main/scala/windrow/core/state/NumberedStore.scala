package windrow.core.state

/** One of many stores inside another: they share its spaces, each with ids of its own.
  *
  * @param number
  *   of this store, from 0 on
  */
private[core] final class NumberedStore(store: ShardStore, number: Int) extends ShardStore {
  private def own(id: Long): Long = (number.toLong << 40) + id

  /** The header is that of the whole. */
  def header: Array[Byte]                 = null
  def putHeader(bytes: Array[Byte]): Unit = throw new UnsupportedOperationException("a part of a shard has no header")

  def space(name: String): Space = {
    val all = store.space(name)
    new Space {
      def get(id: Long): Array[Byte]              = all.get(own(id))
      def put(id: Long, bytes: Array[Byte]): Unit = all.put(own(id), bytes)
      def remove(id: Long): Unit                  = all.remove(own(id))
    }
  }
}
