package windrow

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import java.time.DateTimeException
import java.time.ZoneId

/** Windows as JSON: `{"kind": "tumbling", "size": 60000000, "offset": 0}`. */
private[windrow] object WindowKindJson {

  /** The fields of each kind. */
  private val Fields = Seq(
    "tumbling"      -> Set("size", "offset"),
    "hopping"       -> Set("size", "step", "offset"),
    "calendar"      -> Set("n", "unit", "zone"),
    "session"       -> Set("gap"),
    "sliding"       -> Set("size", "granularity"),
    "over"          -> Set("range", "rows"),
    "count"         -> Set("n", "step"),
    "offsets"       -> Set("n", "step"),
    "tuple_session" -> Set("n"),
    "global"        -> Set.empty[String],
    "inherit"       -> Set("column"))

  def read(node: JsonNode, reader: JsonReader): Option[WindowKind] =
    if (node == null || !node.isObject)
      reader.refuse("WINDOW_NOT_STATED", "window is missing; say for example Tumbling('1 minute').")
    else {
      val kind = node.path("kind").asText
      Fields.collectFirst { case (`kind`, fields) => fields } match {
        case Some(fields) =>
          reader.known(node, s"a window of kind $kind", fields + "kind")
          read(kind, node, reader)
        case None =>
          reader.refuse("WINDOW_UNKNOWN", s"window.kind is '$kind'; allowed are ${Fields.map(_._1).mkString(", ")}.")
      }
    }

  private def read(kind: String, node: JsonNode, reader: JsonReader): Option[WindowKind] = {
    def span(name: String)  = reader.need(node, name, "a duration")(reader.span)
    def count(name: String) = reader.need(node, name, "a whole number")(reader.count)
    def offset              = reader.span(node, "offset").getOrElse(TimeSpan.Zero)
    def steps = {
      val (n, step) = (count("n"), reader.count(node, "step"))
      n.map(n => (n, step.getOrElse(n)))
    }
    kind match {
      case "tumbling" => val (size, at) = (span("size"), offset); size.map(Tumbling(_, at))
      case "hopping" =>
        val (size, step, at) = (span("size"), span("step"), offset)
        size.zip(step).map { case (size, step) => Hopping(size, step, at) }
      case "calendar" => calendar(node, reader)
      case "session"  => Some(new Session(reader.span(node, "gap")))
      case "sliding" =>
        val (size, granularity) = (span("size"), reader.span(node, "granularity"))
        size.map(size => granularity.fold(Sliding(size))(Sliding(size, _)))
      case "over"          => over(node, reader)
      case "count"         => steps.map { case (n, step) => Count(n, step) }
      case "offsets"       => steps.map { case (n, step) => Offsets(n, step) }
      case "tuple_session" => count("n").map(TupleSession(_))
      case "inherit"       => Some(reader.name(node, "column").fold(Inherit())(Inherit(_)))
      case _               => Some(Global)
    }
  }

  private def over(node: JsonNode, reader: JsonReader): Option[Over] =
    if (reader.child(node, "range").isDefined && reader.child(node, "rows").isDefined)
      reader.refuse("OVER_TWICE", "say Over(range=...), Over(rows=...) or neither, not both.")
    else
      reader.span(node, "range").map(Over.Range(_)).orElse(reader.count(node, "rows").map(Over.Rows(_)))
        .orElse(Some(Over.Everything))

  private def calendar(node: JsonNode, reader: JsonReader): Option[Calendar] = {
    val count = reader.need(node, "n", "a whole number")(reader.count).filter(count =>
      (-CalendarUnit.MostOf <= count && count <= CalendarUnit.MostOf) || reader.refuse[Unit](
        "COUNT_NOT_UNDERSTOOD",
        s"n is $count; it must be a whole number of at most 9 digits.").isDefined)
    val unit = reader.need(node, "unit", "one of day, week, month, year")(
      reader.word(_, _, "CALENDAR_UNIT_NOT_UNDERSTOOD", CalendarUnit.All))
    val zone = reader.need(node, "zone", "a time zone")(reader.child).flatMap { name =>
      try Some(ZoneId.of(name.asText))
      catch {
        case _: DateTimeException =>
          reader.refuse[ZoneId]("ZONE_UNKNOWN", s"zone is '${name.asText}'; say for example 'Europe/Berlin'.")
      }
    }
    for (count <- count; unit <- unit; zone <- zone) yield Calendar(count.toInt, unit, zone)
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
      case Inherit(column)   => kind("inherit").put("column", column)
    }
    ()
  }
}
