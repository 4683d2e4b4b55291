package windrow.core.state

import scala.collection.mutable

/** Byte strings by number, in a few named spaces. Nothing is ordered. */
trait Spaces {
  def space(name: String): Space

  /** A stored value of so many values of keys is not written anew for a few that come to it. */
  def largeFrom: Int = Additions.LargeFrom
}

/** What a shard needs of a store. An array that it returns belongs to the caller, who may overwrite it: buffers are combined
  * where they stand. An array that it was given belongs to the store for as long as the call lasts.
  */
trait ShardStore extends Spaces {

  /** The shard's small fixed part, or null before the first `putHeader`. */
  def header: Array[Byte]
  def putHeader(bytes: Array[Byte]): Unit
}

trait Space {

  /** null if absent */
  def get(id: Long): Array[Byte]
  def put(id: Long, bytes: Array[Byte]): Unit
  def remove(id: Long): Unit
}

/** Keeps a shard on the heap: standalone operators, batch queries, tests. It shares no array with its callers. */
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

  /** A copy that later changes do not reach. */
  def snapshot: InMemoryShardStore = snapshot(largeFrom)

  private[windrow] def snapshot(largeFrom: Int): InMemoryShardStore = {
    val copy = new InMemoryShardStore(largeFrom)
    copy.head = head
    spaces.foreach { case (name, entries) => copy.spaces(name) = entries.clone() }
    copy
  }

  /** Bytes of all values. */
  def bytes: Long = spaces.values.flatMap(_.values).map(_.length.toLong).sum
}

private object InMemoryShardStore {
  private def copy(bytes: Array[Byte]): Array[Byte] = if (bytes == null) null else bytes.clone()
}
