package windrow.core.state

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
