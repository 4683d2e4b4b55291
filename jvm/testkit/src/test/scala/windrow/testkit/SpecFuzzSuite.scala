package windrow.testkit

import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random
import scala.util.hashing.byteswap64
import windrow.core.state.Damage
import windrow.replay._

/** Reads specs as JSON with wrong parts. Each spec must be usable or be rejected with a message, and the reader must
  * not throw (SEMANTICS E, S12).
  */
class SpecFuzzSuite extends AnyFunSuite {
  private val count = Damage.count(quick = 2000, plain = 5000, full = 2000000)

  private val mapper = new ObjectMapper()
  private val others = Seq(
    "null", "true", "-1", "0", "1", "1.5", "-0.0", "1e400", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808",
    "4611686018427387904", "1e18", "\"\"", "\"x\"", "\"10 seconds\"", "\"P1D\"", "\"\\u0000\"", "[]", "{}", "[null]",
    "[[[[]]]]",
    "{\"every_time\": -1}", "{\"every_messages\": 0}", "\"each_batch\"", "\"-9223372036854775808 seconds\"").map(
    mapper.readTree)

  private def changed(json: ObjectNode, random: Random): ObjectNode = {
    val copy = json.deepCopy()
    (0 to random.nextInt(3)).foreach { _ =>
      val places = all(copy).toIndexedSeq
      val other  = others(random.nextInt(others.size)).deepCopy[JsonNode]()
      places(random.nextInt(places.size)) match {
        case fields: ObjectNode =>
          val names = fields.fieldNames.asScala.toIndexedSeq
          def name  = if (names.isEmpty) "x" else names(random.nextInt(names.size))
          random.nextInt(4) match {
            case 0 => fields.remove(name): Unit
            case 1 => fields.set[JsonNode](name + "s", other): Unit
            case _ => fields.set[JsonNode](name, other): Unit
          }
        case items: ArrayNode =>
          if (items.isEmpty) items.add(other): Unit else items.set(random.nextInt(items.size), other): Unit
        case _ => ()
      }
    }
    copy
  }

  private def all(node: JsonNode): Iterator[JsonNode] =
    (if (node.isContainerNode) Iterator.single(node) else Iterator.empty) ++ node.elements.asScala.flatMap(all)

  test(s"$count specs, each with something else in it") {
    val thrown = mutable.TreeMap.empty[String, String]
    var used   = 0
    (1L to count.toLong).foreach { seed =>
      val json = changed(Simulate.of(seed % 500).specJson, new Random(byteswap64(seed)))
      try if (OperatorSpec.read(json, TimeUnit.Micros).isRight) used += 1
      catch {
        case wrong: Exception =>
          val at = wrong.getStackTrace.filter(_.getClassName.startsWith("windrow")).take(2).mkString(" < ")
          thrown(s"$wrong at $at".take(300)) = s"seed $seed: $json"
      }
    }
    assert(thrown.isEmpty, thrown.mkString("\n", "\n", ""))
    assert(used > count / 20 && used < count)
  }
}
