package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.JsonNodeFactory

/** Reads and writes the positions of a case: times in its unit, window bounds in that unit or, for tuple and policy
  * windows, unchanged.
  */
private[windrow] final class UnitJson(unit: TimeUnit, spec: JsonNode) {
  private val kind      = TranscriptCase.windowKind(spec)
  private val isTuple   = UnitJson.TupleKinds(kind)
  private val boundUnit = if (isTuple) 1L else unit.micros

  def time(node: JsonNode, name: String): Long  = scaled(node, name, unit.micros)
  def bound(node: JsonNode, name: String): Long = scaled(node, name, boundUnit)

  def timeNode(micros: Long): JsonNode = node(micros, unit.micros)
  def boundNode(at: Long): JsonNode    = node(at, boundUnit)

  def timeText(micros: Long): String =
    if (micros % unit.micros == 0) s"${micros / unit.micros} ${unit.name}" else s"$micros us"

  /** Describes a window in words, with a bracket that shows whether its end is inclusive. */
  def windowText(start: Long, end: Long): String =
    if ((start, end) == Emission.Everywhere) "everywhere"
    else if (isTuple) s"[$start, $end]"
    else s"[${timeText(start)}, ${timeText(end)}${if (UnitJson.ClosedKinds(kind)) "]" else ")"}"

  private def scaled(number: JsonNode, name: String, size: Long): Long =
    if (!number.isIntegralNumber || !number.canConvertToLong)
      throw new TranscriptError(s"$name is $number, not an integer number of ${unit.name}")
    else
      try Math.multiplyExact(number.asLong, size)
      catch {
        case _: ArithmeticException =>
          throw new TranscriptError(s"$name is $number ${unit.name}, beyond 64 bits of microseconds")
      }

  private def node(at: Long, size: Long): JsonNode =
    if (at % size == 0) JsonNodeFactory.instance.numberNode(at / size)
    else throw new TranscriptError(s"$at microseconds are not an integer number of ${unit.name}")
}

private[windrow] object UnitJson {
  val TupleKinds: Set[String]  = Set("count", "offset_range", "offset_session", "policy")
  val ClosedKinds: Set[String] = Set("sliding", "over")
}
