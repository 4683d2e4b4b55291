package windrow.core.state

/** A store that can tell all that it has: what the checkpoint of a standalone operator is made of. */
trait ListedStore extends ShardStore {

  /** Name of the space, number and value, in any order; the header is not among them. */
  def entries: Iterator[(String, Long, Array[Byte])]
}
