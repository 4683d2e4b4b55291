package windrow.core.policy

import scala.collection.mutable
import windrow.core.state.Key

/** The partitions of a shard in the order of eviction: empty ones first, then the one whose last message is oldest
  * (SEMANTICS R66).
  */
private[policy] final class Ranking(rules: LimitRules) {
  private val places   = mutable.HashMap.empty[Key, Ranking.Place]
  private val order    = mutable.TreeMap.empty[(Boolean, Long), Key]
  private var messages = 0L

  def put(key: Key, partition: Partition[_]): Unit = {
    remove(key)
    val place = Ranking.Place(partition.turn, partition.held.size.toLong)
    places(key) = place
    order(place.rank) = key
    messages += place.messages
  }

  def remove(key: Key): Unit = places.remove(key).foreach { place =>
    order.remove(place.rank)
    messages -= place.messages
  }

  /** The first partition to evict, if the limits are exceeded. */
  def surplus: Option[Key] =
    Option.when(rules.isTooMuch(places.size.toLong, messages))(order.head._2)
}

private object Ranking {
  final case class Place(turn: Long, messages: Long) {
    def rank: (Boolean, Long) = (messages > 0, turn)
  }
}
