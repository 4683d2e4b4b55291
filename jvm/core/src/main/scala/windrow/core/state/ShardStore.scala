package windrow.core.state

import scala.collection.mutable

/** Byte strings by number in a few named spaces, without an order. */
trait Spaces {
  def space(name: String): Space

  /** Stored values with at least this many entries are not rewritten when a few entries are added. */
  def largeFrom: Int = Additions.LargeFrom
}

/** The store of a shard. A returned array belongs to the caller, who may overwrite it, because buffers are merged in
  * place. An array passed to the store belongs to the store only during the call.
  */
trait ShardStore extends Spaces {

  /** The shard's small fixed part, or null before the first `putHeader`. */
  def header: Array[Byte]
  def putHeader(bytes: Array[Byte]): Unit
}

/** Byte strings by number. */
trait Space {

  /** The value, or null if absent. */
  def get(id: Long): Array[Byte]
  def put(id: Long, bytes: Array[Byte]): Unit
  def remove(id: Long): Unit
}

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
