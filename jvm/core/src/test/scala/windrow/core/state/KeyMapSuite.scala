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
}
