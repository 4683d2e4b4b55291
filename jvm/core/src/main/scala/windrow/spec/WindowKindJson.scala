package windrow

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import java.time.DateTimeException
import java.time.ZoneId

/** Windows as JSON: `{"kind": "tumbling", "size": 60000000, "offset": 0}`. */
private[windrow] object WindowKindJson {

  private val Kinds = "tumbling, hopping, calendar, session, sliding, over, count, offsets, tuple_session, global"

  def read(node: JsonNode, reader: JsonReader): Option[WindowKind] =
    if (node == null || !node.isObject)
      reader.refuse("WINDOW_NOT_STATED", "window is missing; say for example Tumbling('1 minute').")
    else {
      def span(name: String)  = reader.need(reader.span(node, name), "a duration", name)
      def count(name: String) = reader.need(reader.count(node, name), "a whole number", name)
      def offset              = reader.span(node, "offset").getOrElse(TimeSpan.Zero)
      def steps               = count("n").map(n => (n, reader.count(node, "step").getOrElse(n)))
      node.path("kind").asText match {
        case "tumbling" => span("size").map(Tumbling(_, offset))
        case "hopping" =>
          val (size, step) = (span("size"), span("step"))
          size.zip(step).map { case (size, step) => Hopping(size, step, offset) }
        case "calendar" => calendar(node, reader)
        case "session"  => Some(new Session(reader.span(node, "gap")))
        case "sliding" =>
          span("size").map(size => reader.span(node, "granularity").fold(Sliding(size))(Sliding(size, _)))
        case "over" =>
          (reader.span(node, "range"), reader.count(node, "rows")) match {
            case (Some(range), None) => Some(Over.Range(range))
            case (None, Some(rows))  => Some(Over.Rows(rows))
            case (None, None)        => Some(Over.Everything)
            case _ => reader.refuse("OVER_TWICE", "say Over(range=...), Over(rows=...) or neither, not both.")
          }
        case "count"         => steps.map { case (n, step) => Count(n, step) }
        case "offsets"       => steps.map { case (n, step) => Offsets(n, step) }
        case "tuple_session" => count("n").map(TupleSession(_))
        case "global"        => Some(Global)
        case other           => reader.refuse("WINDOW_UNKNOWN", s"window.kind is '$other'; allowed are $Kinds.")
      }
    }

  private def calendar(node: JsonNode, reader: JsonReader): Option[Calendar] = {
    val count = reader.need(reader.count(node, "n"), "a whole number", "n")
    val unit = reader.need(
      reader.word(node, "unit", "CALENDAR_UNIT_NOT_UNDERSTOOD", CalendarUnit.All),
      "one of day, week, month, year",
      "unit")
    val zone = reader.need(reader.child(node, "zone"), "a time zone", "zone").flatMap { name =>
      try Some(ZoneId.of(name.asText))
      catch {
        case _: DateTimeException =>
          reader.refuse[ZoneId]("ZONE_UNKNOWN", s"zone is '${name.asText}'; say for example 'Europe/Berlin'.")
      }
    }
    for (count <- count; unit <- unit; zone <- zone) yield Calendar(Math.toIntExact(count), unit, zone)
  }

  def write(window: WindowKind, node: ObjectNode): Unit = {
    def kind(name: String) = node.put("kind", name)
    window match {
      case Tumbling(size, offset) => kind("tumbling").put("size", size.micros).put("offset", offset.micros)
      case Hopping(size, step, offset) =>
        kind("hopping").put("size", size.micros).put("step", step.micros).put("offset", offset.micros)
      case Calendar(count, unit, zone) =>
        kind("calendar").put("n", count).put("unit", unit.toString).put("zone", zone.getId)
      case Session(gap) => gap.fold(kind("session").putNull("gap"))(span => kind("session").put("gap", span.micros))
      case Sliding(size, granularity) =>
        kind("sliding").put("size", size.micros).put("granularity", granularity.micros)
      case Over.Range(range) => kind("over").put("range", range.micros)
      case Over.Rows(rows)   => kind("over").put("rows", rows)
      case Over.Everything   => kind("over")
      case Count(n, step)    => kind("count").put("n", n).put("step", step)
      case Offsets(n, step)  => kind("offsets").put("n", n).put("step", step)
      case TupleSession(n)   => kind("tuple_session").put("n", n)
      case Global            => kind("global")
    }
    ()
  }
}
