package windrow.core.state

import java.util.LinkedHashMap
import org.scalatest.funsuite.AnyFunSuite
import scala.jdk.CollectionConverters._
import scala.util.Random

/** Compares a key map with a map of Java. */
final class KeyMapSuite extends AnyFunSuite {
  private def key(number: Int): Key = new Key(BigInt(number).toByteArray)

  private def compare(random: Random, keys: Int, steps: Int): Unit = {
    val wanted = new LinkedHashMap[Key, Integer]
    val found  = new KeyMap[Integer](random.nextInt(keys))
    (1 to steps).foreach { value =>
      val one = key(random.nextInt(keys))
      assert(found.get(one) == wanted.get(one) && found.containsKey(one) == wanted.containsKey(one))
      found.put(one, value)
      wanted.put(one, value)
      if (random.nextInt(steps) == 0) {
        val copy = found.copied
        copy.put(one, 0)
        copy.put(key(-1), 1)
        assert(!found.containsKey(key(-1)))
        if (random.nextBoolean()) { found.clear(); wanted.clear() }
      }
      assert(found.size == wanted.size && found.isEmpty == wanted.isEmpty)
    }
    assert(found.keysInOrder.toSeq == wanted.keySet.asScala.toSeq)
    assert(found.valuesInOrder.toSeq == wanted.values.asScala.toSeq)
  }

  test("stored values are found in the order of insertion") {
    (1 to 200).foreach { seed =>
      val random = new Random(seed)
      compare(random, 1 + random.nextInt(300), 1 + random.nextInt(600))
    }
  }

  test("many keys") {
    compare(new Random(7), 200000, 300000)
  }

  test("keys that differ in a few bytes have as many slots as random keys") {
    val count                                        = 4096
    def slots(hashes: Iterable[Int], bits: Int): Int = hashes.map(_ & ((1 << bits) - 1)).toSet.size
    val texts = for (length <- 5 to 24; text = "k" * (length - 5))
      yield s"texts of $length characters" -> (0 until count).map(n => f"$text$n%05d".getBytes)
    val numbers = for (shift <- 0 until 64 by 8)
      yield s"numbers from bit $shift on" -> (0 until count).map(n => numberBytes(n.toLong << shift))
    val apart = for (bytes <- 2 to 20)
      yield s"numbers in $bytes bytes" -> (0 until count).map(n =>
        new Array[Byte](bytes - 2) ++ numberBytes(n.toLong).take(2))
    for ((kind, keys) <- texts ++ numbers.filter(_._2.map(_.toSeq).distinct.size == count) ++ apart; bits <- 10 to 14) {
      val found  = slots(keys.map(new Key(_).hashCode), bits)
      val random = (1 << bits) * (1 - math.exp(-count.toDouble / (1 << bits)))
      assert(found > 0.8 * random, s"$kind, $bits bits")
    }
  }

  private def numberBytes(number: Long): Array[Byte] =
    java.nio.ByteBuffer.allocate(8).order(java.nio.ByteOrder.LITTLE_ENDIAN).putLong(number).array
}
