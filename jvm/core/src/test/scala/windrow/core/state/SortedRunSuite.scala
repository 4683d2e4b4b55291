package windrow.core.state

import java.util.TreeMap
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random
import windrow.operators.Sum

/** Against a map of Java's, over steps and restarts. */
final class SortedRunSuite extends AnyFunSuite {
  private def key(number: Int): Key = new Key(Array(number.toByte))

  /** Of a store that knows each value that it is to remove. */
  private final class Strict extends Spaces {
    val values = mutable.HashMap.empty[Long, Array[Byte]]
    def space(name: String): Space = new Space {
      def get(id: Long): Array[Byte]              = values.get(id).orNull
      def put(id: Long, bytes: Array[Byte]): Unit = values(id) = bytes
      def remove(id: Long): Unit                  = assert(values.remove(id).isDefined, s"there was no $id")
    }
  }

  private def check(seed: Int): Unit = {
    val random  = new Random(seed)
    val store   = new Strict
    val spread  = 1 + random.nextInt(100)
    val wanted  = new TreeMap[Long, mutable.HashMap[Key, Long]]
    val segment = 1 + random.nextInt(200)
    var bound   = 0L
    var run     = new SortedRun("values", store, Sum, segment)
    (1 to 20).foreach { _ =>
      (1 to random.nextInt(40)).foreach { _ =>
        val position = bound + random.nextInt(spread)
        val one      = key(random.nextInt(5))
        val value    = random.nextInt(1000).toLong
        run.at(position).put(one, value)
        wanted.computeIfAbsent(position, _ => mutable.HashMap.empty).put(one, value)
        if (random.nextInt(20) == 0) {
          bound += random.nextInt(spread)
          run.dropBelow(bound)
          wanted.headMap(bound).clear()
        }
      }
      val found = run.between(bound, Long.MaxValue).map { case (at, keyed) =>
        at -> (0 until keyed.size).map(i => keyed.keyAt(i) -> keyed.valueAt(i)).toMap
      }.filter(_._2.nonEmpty).toSeq
      assert(found == wanted.asScala.toSeq.map { case (at, keyed) => at.longValue -> keyed.toMap }, s"seed $seed")
      run.flush()
      if (random.nextBoolean()) {
        val out = new ByteWriter
        run.writeDirectory(out)
        run = new SortedRun("values", store, Sum, segment)
        run.readDirectory(ByteReader(out.result()))
      }
    }
  }

  test("what was put in is there until it is let go of; the store removes nothing that it has not") {
    (1 to 300).foreach(check)
  }
}
