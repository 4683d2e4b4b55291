package windrow.core.state

/** A store that can list its contents. Checkpoints of standalone operators are made from it. */
trait ListedStore extends ShardStore {

  /** Space, number and bytes of each value, in any order, without the header. */
  def entries: Iterator[(String, Long, Array[Byte])]
}
