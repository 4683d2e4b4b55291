package windrow.core.state

/** The spaces of one of several parts of a shard. All parts share the shard's spaces, and each has its own range of
  * ids.
  *
  * @param number
  *   number of this part, starting at 0
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

/** The spaces of one of several parts of a shard, each under a name of its own. Unlike [[NumberedSpaces]], its ids may be
  * any positions.
  *
  * @param number
  *   number of this part, starting at 0
  */
private[core] final class OwnSpaces(whole: Spaces, number: Int) extends Spaces {
  override def largeFrom: Int    = whole.largeFrom
  def space(name: String): Space = whole.space(OwnSpaces.name(name, number))
}

private[core] object OwnSpaces {
  def name(space: String, number: Int): String = s"$space$number"
}
