package windrow.core.state

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable.ArrayBuffer
import scala.util.Random

/** Compares summaries with sums over plain lists, in which the order shows. */
final class SummariesSuite extends AnyFunSuite {
  private def check(seed: Int): Unit = {
    val random = new Random(seed)
    val list   = ArrayBuffer.empty[String]
    val sums   = new Summaries[String](list.size, list(_), _ + _)
    def one()  = random.nextInt(100).toString + ","
    (1 to 200).foreach { _ =>
      random.nextInt(8) match {
        case 0 if list.nonEmpty =>
          sums.droppedFirst()
          list.remove(0)
        case 1 if list.nonEmpty =>
          val at = random.nextInt(list.size)
          list(at) = one()
          sums.changed(at)
        case 2 =>
          list.insert(random.nextInt(list.size + 1), one())
          sums.moved()
        case _ =>
          list += one()
          sums.changed(list.size - 1)
      }
      val until = random.nextInt(list.size + 1)
      val from  = random.nextInt(until + 1)
      assert(sums.of(from, until).getOrElse("") == list.slice(from, until).mkString, s"seed $seed")
      assert(sums.all.getOrElse("") == list.mkString)
      val sought = random.nextInt(100).toString + ","
      val wanted = list.indexWhere(_ == sought, from)
      assert(sums.first(from)(told => ("," + told).contains("," + sought)) == wanted, s"seed $seed")
    }
  }

  test("sums of any range after additions, removals, and changes")((1 to 200).foreach(check))

  test("a sum costs the logarithm") {
    var summed = 0
    val list   = ArrayBuffer.empty[Int]
    val sums = new Summaries[Int](
      list.size,
      list(_),
      (a, b) => {
        summed += 1
        a + b
      })
    (1 to 4096).foreach { n =>
      list += n
      sums.changed(list.size - 1)
      if (n > 2048) {
        sums.droppedFirst()
        list.remove(0)
      }
      sums.all
    }
    assert(summed < 4096 * 3 * 12)
  }
}
