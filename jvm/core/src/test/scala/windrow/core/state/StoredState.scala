package windrow.core.state

import scala.collection.mutable
import scala.util.Random

/** The stored values of an operator, or of a part of one.
  *
  * @param cost
  *   the cost of reading it; 1 is a few microseconds
  * @param look
  *   reads all of it
  */
final case class StoredState(name: String, cost: Int, write: ShardStore => Unit)(val look: ShardStore => Any) {
  import StoredState._

  lazy val sound: InMemoryShardStore = {
    val store = new InMemoryShardStore
    write(store)
    store
  }

  /** Returns a copy, so that changes do not affect the original. */
  def unchanged: ShardStore = new Copied(sound)

  /** Values by their spaces. The space of the header is null. */
  private lazy val spaces: IndexedSeq[IndexedSeq[Place]] = {
    val values = sound.entries.map { case (space, id, bytes) => Place(space, id, bytes) }.toIndexedSeq
    val header = Option(sound.header).map(Place(null, 0, _)).toIndexedSeq
    (values.groupBy(_.space).toIndexedSeq.sortBy(_._1).map(_._2.sortBy(_.id)) :+ header).filter(_.nonEmpty)
  }

  def places: Seq[Place] = spaces.flatten

  /** Returns a copy with one value changed below its checksum. Each space is chosen with the same probability. */
  def damaged(random: Random): ShardStore = {
    val space = spaces(random.nextInt(spaces.size))
    val at    = space(random.nextInt(space.size))
    having(at, Damage.changed(at.value, random))
  }

  /** Returns a copy with another value at a place. */
  def having(at: Place, value: Array[Byte]): ShardStore = {
    val store = unchanged
    if (at.space == null) store.putHeader(value) else store.space(at.space).put(at.id, value)
    store
  }
}

object StoredState {
  final case class Place(space: String, id: Long, value: Array[Byte])

  /** The state of a part without its operator. The part that is normally within the value of its key is a separate
    * value.
    *
    * @param look
    *   reads the other values, on demand
    */
  def ofRoot[T](name: String)(write: (ShardStore, ByteWriter) => Unit)(read: (ShardStore, ByteReader) => T)(
      look: T => Any): StoredState = {
    def put(store: ShardStore): Unit = {
      val out = new ByteWriter
      write(store, out)
      store.space("root").put(0, out.sealedResult())
    }
    StoredState(name, cost = 1, put)(store =>
      look(ByteReader.unsealed(store.space("root").get(0), "a root").decode(read(store, _))))
  }

  /** A copy of the values that are requested. */
  private[state] final class Copied(sound: ShardStore) extends ShardStore {
    private var head   = sound.header
    private val spaces = mutable.HashMap.empty[String, Space]

    override def largeFrom: Int             = sound.largeFrom
    def header: Array[Byte]                 = Option(head).fold(null: Array[Byte])(_.clone())
    def putHeader(bytes: Array[Byte]): Unit = head = bytes.clone()

    def space(name: String): Space = spaces.getOrElseUpdate(
      name, {
        val (kept, own) = (sound.space(name), mutable.LongMap.empty[Array[Byte]])
        new Space {
          def get(id: Long): Array[Byte] =
            if (own.contains(id)) Option(own(id)).fold(null: Array[Byte])(_.clone()) else kept.get(id)
          def put(id: Long, bytes: Array[Byte]): Unit = own(id) = bytes.clone()
          def remove(id: Long): Unit                  = own(id) = null
        }
      })
  }
}
