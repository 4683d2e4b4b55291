package windrow.operators

import scala.collection.mutable
import windrow.core.state.{InMemoryShardStore, ListedStore, Space}

final class Crash extends IllegalStateException("crash")

/** A store that fails at one of its writes, and at all later ones.
  *
  * @param writes
  *   number of writes that succeed
  */
final class BreakingStore(target: InMemoryShardStore, writes: Int = Int.MaxValue) extends ListedStore {
  private var left = writes

  /** Names of the spaces that were written to; "" for the header. */
  val log = mutable.ArrayBuffer.empty[String]

  private def write(name: String)(change: => Unit): Unit = {
    if (left == 0) throw new Crash
    left -= 1
    log += name
    change
  }

  def header: Array[Byte]                            = target.header
  def putHeader(bytes: Array[Byte]): Unit            = write("")(target.putHeader(bytes))
  def entries: Iterator[(String, Long, Array[Byte])] = target.entries

  def space(name: String): Space = {
    val of = target.space(name)
    new Space {
      def get(id: Long): Array[Byte]              = of.get(id)
      def put(id: Long, bytes: Array[Byte]): Unit = write(name)(of.put(id, bytes))
      def remove(id: Long): Unit                  = write(name)(of.remove(id))
    }
  }
}
