package windrow.core.state

/** One of many parts of a shard that share its spaces, each with ids of its own.
  *
  * @param number
  *   of this part, from 0 on
  */
private[core] final class NumberedSpaces(whole: Spaces, number: Int) extends Spaces {
  private def own(id: Long): Long = (number.toLong << 40) + id

  override def largeFrom: Int = whole.largeFrom

  def space(name: String): Space = {
    val all = whole.space(name)
    new Space {
      def get(id: Long): Array[Byte]              = all.get(own(id))
      def put(id: Long, bytes: Array[Byte]): Unit = all.put(own(id), bytes)
      def remove(id: Long): Unit                  = all.remove(own(id))
    }
  }
}
