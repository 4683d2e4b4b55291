package windrow.core.state

import java.util.Arrays
import org.scalatest.Assertions._
import scala.collection.mutable
import scala.util.Random

/** The law of every store: an array that it returned belongs to the caller, and an array that it was given is not read
  * after the call. Overwriting either of them does not change stored values.
  */
object StoreLaw {
  private val Name = "windows" // a space of every operator with messages

  private def value(number: Int): Array[Byte] = Array.tabulate(64)(i => (number * 31 + i).toByte)

  private def overwrite(bytes: Array[Byte]): Unit = Arrays.fill(bytes, 0xaa.toByte)

  private def isStill(found: => Array[Byte], number: Int): Unit = (1 to 2).foreach { _ =>
    val bytes = found
    assert(bytes != null && bytes.toSeq == value(number).toSeq)
    overwrite(bytes)
  }

  /** @param store
    *   a store to which the check writes
    * @param name
    *   the name of one of its spaces
    */
  def check(store: ShardStore, name: String = Name): Unit = {
    val space = store.space(name)
    def put(id: Long, number: Int): Unit = {
      val bytes = value(number)
      space.put(id, bytes)
      overwrite(bytes)
    }
    put(1, number = 1)
    put(2, number = 2)
    isStill(space.get(1), 1)
    put(1, number = 3)
    isStill(space.get(1), 3)
    isStill(store.space(name).get(2), 2)
    val head = value(4)
    store.putHeader(head)
    overwrite(head)
    isStill(store.header, 4)
    store match {
      case listed: ListedStore => isStillListed(listed, name)
      case _                   => ()
    }
    space.remove(1)
    assert(space.get(1) == null)
    space.remove(2)
  }

  /** Checks random reads, writes and removals, each of whose arrays is overwritten, against a map.
    *
    * @param store
    *   an empty store
    */
  def checkRandom(store: ShardStore, seed: Long, operations: Int): Unit = {
    val random   = new Random(seed)
    val space    = store.space(Name)
    val expected = mutable.Map.empty[Long, Int]
    for (number <- 0 until operations) {
      val id = random.nextInt(20).toLong
      random.nextInt(4) match {
        case 0 => space.remove(id); expected -= id
        case 1 =>
          val bytes = value(number)
          space.put(id, bytes)
          overwrite(bytes)
          expected(id) = number
        case _ =>
          val bytes = space.get(id)
          assert(Option(bytes).map(_.toSeq) == expected.get(id).map(value(_).toSeq), s"seed $seed, operation $number")
          if (bytes != null) overwrite(bytes)
      }
    }
    (0L until 20).foreach(space.remove)
  }

  private def isStillListed(store: ListedStore, name: String): Unit = (1 to 2).foreach { _ =>
    val all = store.entries.filter(_._1 == name).toVector
    assert(all.map { case (_, id, bytes) => (id, bytes.toSeq) }.toMap ==
      Map(1L -> value(3).toSeq, 2L -> value(2).toSeq))
    all.foreach(one => overwrite(one._3))
  }

  /** Checks that a failed step leaves no changes, even if the arrays that it read and wrote are overwritten. */
  def checkUndone(store: JournaledStore): Unit = {
    val space = store.space(Name)
    space.put(1, value(1))
    store.putHeader(value(2))
    def fails(): Unit = {
      store.begin()
      overwrite(space.get(1))
      overwrite(store.header)
      val bytes = value(3)
      space.put(1, bytes)
      overwrite(bytes)
      store.undoAll()
      isStill(space.get(1), 1)
      isStill(store.header, 2)
    }
    fails()
    fails()
    store.commit()
    fails()
    val image = store.image()
    overwrite(space.get(1))
    store.replaceBy(Some(image))
    isStill(space.get(1), 1)
    isStill(store.header, 2)
  }
}
