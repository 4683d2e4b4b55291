package windrow.core.state

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.Full

/** Compares the pages of a key with a sorted map (SEMANTICS S5). */
class KeyPagesSuite extends AnyFunSuite {
  import KeyPagesSuite._

  private val rounds = if (Full.isFull) 20000 else 300

  test(s"what is put, removed and found in $rounds random runs, with restarts, is what a sorted map has") {
    (1 to rounds).foreach(seed => run(new Random(seed)))
  }

  private def run(random: Random): Unit = {
    val store    = new InMemoryShardStore
    val segments = new Segments("pages", store)
    val size     = Seq(32, 100, 1000)(random.nextInt(3))
    def empty    = new KeyPages(new DeadlineLayout[Value](ValueCodec, _.place, _.due), segments, size)
    def place()  = Place(random.nextInt(60).toLong, random.nextInt(2).toLong)
    var model    = scala.collection.immutable.TreeMap.empty[Place, Value]
    var pages    = empty
    (1 to 1 + random.nextInt(80)).foreach { _ =>
      random.nextInt(10) match {
        case 0 if model.nonEmpty => // restart
          val out = new ByteWriter
          pages.write(out)
          if (random.nextBoolean()) {
            pages = empty
            pages.read(ByteReader(out.result()))
          }
        case 1 | 2 if model.nonEmpty =>
          val value = model.values.toSeq(random.nextInt(model.size))
          pages.remove(value)
          model -= value.place
        case _ =>
          val value = Value(place(), random.nextInt(100).toLong)
          pages.put(value)
          model += value.place -> value
      }
      val asked = place()
      val most  = random.nextInt(100)
      assert(pages.from(asked).toSeq == model.rangeFrom(asked).values.toSeq)
      val before = model.rangeUntil(asked).values.toSeq.reverse
      assert(pages.before(asked).toSeq == before)
      assert(pages.before(asked, _ <= most).filter(_.due <= most).toSeq == before.filter(_.due <= most))
      val until = asked.start + random.nextInt(40)
      assert(
        pages.near(asked)(_.place.start <= until) ==
          before.take(1) ++ model.rangeFrom(asked).values.takeWhile(_.place.start <= until))
      assert(pages.get(asked) == model.get(asked))
      assert(pages.last == model.lastOption.map(_._2) && pages.isEmpty == model.isEmpty)
      assert(DeadlineLayout.deadline(pages) == model.values.map(_.due).minOption.getOrElse(Long.MaxValue))
      val due = model.values.filter(_.due <= 20).toSet
      assert(due.subsetOf(pages.due(_ <= 20).toSet))
    }
    model.values.foreach(pages.remove)
    assert(pages.isEmpty && !store.entries.hasNext)
  }
}

private object KeyPagesSuite {
  final case class Value(place: Place, due: Long)

  object ValueCodec extends Codec[Value] {
    def write(value: Value, out: ByteWriter): Unit =
      Seq(value.place.start, value.place.end, value.due).foreach(out.long)
    def read(in: ByteReader): Value = Value(Place(in.long(), in.long()), in.long())
  }
}
