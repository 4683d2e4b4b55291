package windrow.core.state

import scala.collection.mutable

/** Keeps a shard on the heap, for standalone operators, batch queries and tests. It shares no array with its callers.
  */
final class InMemoryShardStore(override val largeFrom: Int = Additions.LargeFrom) extends ListedStore {
  private var head: Array[Byte] = _
  private val spaces            = mutable.HashMap.empty[String, mutable.HashMap[Long, Array[Byte]]]

  def header: Array[Byte]                 = InMemoryShardStore.copy(head)
  def putHeader(bytes: Array[Byte]): Unit = head = InMemoryShardStore.copy(bytes)

  def space(name: String): Space = {
    val entries = spaces.getOrElseUpdate(name, mutable.HashMap.empty)
    new Space {
      def get(id: Long): Array[Byte]              = InMemoryShardStore.copy(entries.getOrElse(id, null))
      def put(id: Long, bytes: Array[Byte]): Unit = entries(id) = InMemoryShardStore.copy(bytes)
      def remove(id: Long): Unit                  = { entries -= id; () }
    }
  }

  def entries: Iterator[(String, Long, Array[Byte])] =
    for ((name, values) <- spaces.iterator; (id, bytes) <- values.iterator)
      yield (name, id, InMemoryShardStore.copy(bytes))

  /** A copy that is independent of later changes. */
  def snapshot: InMemoryShardStore = snapshot(largeFrom)

  private[windrow] def snapshot(largeFrom: Int): InMemoryShardStore = {
    val copy = new InMemoryShardStore(largeFrom)
    copy.head = head
    spaces.foreach { case (name, entries) => copy.spaces(name) = entries.clone() }
    copy
  }

  /** Total size of all values in bytes. */
  def bytes: Long = spaces.values.flatMap(_.values).map(_.length.toLong).sum
}

private object InMemoryShardStore {
  private def copy(bytes: Array[Byte]): Array[Byte] = if (bytes == null) null else bytes.clone()
}
