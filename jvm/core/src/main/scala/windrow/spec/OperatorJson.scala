package windrow

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import scala.jdk.CollectionConverters._

/** A checked spec of any operator. */
sealed trait CheckedSpec

object CheckedSpec {
  final case class Aggregate(spec: WindowOperatorSpec) extends CheckedSpec
  final case class FullState(spec: FullStateSpec)      extends CheckedSpec
  final case class Join(spec: JoinSpec)                extends CheckedSpec
  final case class CoGroup(spec: CoGroupSpec)          extends CheckedSpec
  final case class Dedup(spec: DedupSpec)              extends CheckedSpec
  final case class Match(spec: MatchSpec)              extends CheckedSpec
}

/** Several streams in one windowed aggregation, whose value is the messages of each stream (SEMANTICS R56).
  *
  * @param streams
  *   two or more names, in order
  */
final case class CoGroupSpec(window: WindowOperatorSpec, streams: Seq[String])

/** Reads and writes the specs of all operators as JSON. The field `operator` names the operator; the default is
  * "aggregate". Durations are as in [[SpecJson]].
  */
object OperatorJson {
  private val mapper = new ObjectMapper()

  /** The operators that also run without a query. */
  private[windrow] val Standalone = "aggregate, full_state, join, cogroup"

  private val Operators = s"$Standalone, dedup, match"

  private val JoinFields = Set(
    "operator", "time_unit", "streams", "on", "within", "bounds", "how", "lateness", "retention", "early", "max_future",
    "expect", "start_offsets")

  /** Reads and checks a spec.
    *
    * @param outer
    *   settings of the enclosing object, for example the `time_unit` of a transcript
    * @param late
    *   default of `late` for an aggregation: `EachBatch` in a query, every 10 seconds in a standalone operator (R14)
    */
  def read(
      node: ObjectNode,
      outer: Map[String, String],
      late: PaneTrigger = EachBatch): Either[Seq[SpecProblem], CheckedSpec] =
    node.path("operator").asText("aggregate") match {
      case "aggregate"  => aggregate(node, outer, late).flatMap(_.check).map(CheckedSpec.Aggregate(_))
      case "full_state" => fullState(node, outer).map(CheckedSpec.FullState(_))
      case "join"       => join(node, outer).flatMap(_.check).map(CheckedSpec.Join(_))
      case "cogroup"    => coGroup(node, outer, late).map(CheckedSpec.CoGroup(_))
      case "dedup"      => dedup(node, outer).flatMap(_.check).map(CheckedSpec.Dedup(_))
      case "match"      => matching(node, outer).flatMap(_.check).map(CheckedSpec.Match(_))
      case other =>
        Left(Seq(SpecProblem("VALUE_NOT_SUPPORTED.OPERATOR", "value" -> other, "allowed" -> Operators)))
    }

  private def aggregate(
      node: ObjectNode,
      outer: Map[String, String],
      late: PaneTrigger): Either[Seq[SpecProblem], WindowOperatorDraft] =
    SpecJson.read(node, outer).map(draft => if (node.has("late")) draft else draft.copy(late = late))

  /** A copy with only the fields that an operator shares with a windowed aggregation. */
  private def without(node: ObjectNode, own: String*): ObjectNode =
    node.deepCopy.remove(("operator" +: own).asJava).asInstanceOf[ObjectNode]

  private def fullState(node: ObjectNode, outer: Map[String, String]): Either[Seq[SpecProblem], FullStateSpec] =
    SpecJson.read(without(node), outer).flatMap { draft =>
      val aggregates = Option.when(node.hasNonNull("aggregates"))(SpecProblem(
        "VALUE_NOT_SUPPORTED.FULL_STATE",
        "value" -> node.get("aggregates"),
        "name"  -> "aggregates"))
      val read = FullStateDraft.check(
        draft,
        if (node.has("early")) draft.early else EachMessage,
        if (node.has("late")) draft.late else EachMessage)
      aggregates.fold(read)(wrong => Left(read.left.getOrElse(Nil) :+ wrong))
    }

  /** Writes a spec in the form that `read` expects. */
  def write(spec: FullStateSpec): ObjectNode = {
    val node = SpecJson.write(spec.windows.draft.copy(startOffsets = spec.startOffsets)).put("operator", "full_state")
    node.remove("accumulation")
    node.set[JsonNode]("early", TriggerJson.write(spec.early))
    node
  }

  private def coGroup(
      node: ObjectNode,
      outer: Map[String, String],
      late: PaneTrigger): Either[Seq[SpecProblem], CoGroupSpec] = {
    val reader = SharedFieldsJson.reader(node, outer)
    val all    = streams(node, reader)
    val names  = all.map(_.name)
    all.filter(_.window.isDefined).foreach(one =>
      reader.refuse[Unit]("VALUE_NOT_SUPPORTED.OWN_WINDOW", "stream" -> one.name))
    if (names.size < 2) reader.refuse[Unit]("STREAMS_TOO_FEW.COGROUP", "count" -> names.size)
    if (names.distinct != names) reader.refuse[Unit]("STREAM_TWICE.COGROUP", "names" -> names.mkString(", "))
    aggregate(without(node, "streams"), outer, late).flatMap(_.check) match {
      case Right(window) if reader.problems.isEmpty => Right(CoGroupSpec(window, names))
      case window                                   => Left(window.left.getOrElse(Nil) ++ reader.problems)
    }
  }

  private val DedupFields =
    Set("operator", "time_unit", "within", "order_by", "lateness", "max_future", "keep", "accumulation")

  private def dedup(node: ObjectNode, outer: Map[String, String]): Either[Seq[SpecProblem], DedupDraft] = {
    val reader = SharedFieldsJson.reader(node, outer)
    reader.known(node, "a deduplication", DedupFields)
    val draft = DedupDraft(
      reader.span(node, "within"),
      JsonReader.texts(node.path("order_by")),
      SharedFieldsJson.lateness(node, reader),
      reader.span(node, "max_future"),
      reader.word(node, "keep", Keep.All).getOrElse(Keep.First),
      reader.word(node, "accumulation", AccumulationMode.All))
    Either.cond(reader.problems.isEmpty, draft, reader.problems)
  }

  /** Writes a spec in the form that `read` expects. */
  def write(spec: DedupSpec): ObjectNode = {
    val node = mapper.createObjectNode().put("operator", "dedup").put("time_unit", "us")
    node.put("within", spec.within.micros).put("keep", spec.keep.toString).put("lateness", spec.lateness.micros)
    val order = node.putArray("order_by")
    spec.orderBy.foreach(order.add(_))
    spec.maxFuture.foreach(span => node.put("max_future", span.micros))
    if (spec.retracts) node.put("accumulation", JsonReader.word(AccumulatingAndRetracting))
    node
  }

  /** Writes a spec in the form that `read` expects. */
  def write(spec: MatchSpec): ObjectNode = {
    val node = mapper.createObjectNode().put("operator", "match").put("time_unit", "us")
    node.put("pattern", spec.pattern).put("after", spec.after.toString).put("lateness", spec.lateness.micros)
    def texts(field: String, all: Seq[(String, String)]): Unit = {
      val written = node.putObject(field)
      all.foreach { case (name, text) => written.put(name, text) }
    }
    texts("define", spec.define)
    texts("measures", spec.measures)
    spec.within.foreach(span => node.put("within", span.micros))
    spec.maxFuture.foreach(span => node.put("max_future", span.micros))
    node
  }

  private val MatchFields = Set(
    "operator", "time_unit", "pattern", "define", "measures", "within", "after", "lateness", "max_future")

  private[windrow] def matching(node: ObjectNode, outer: Map[String, String]): Either[Seq[SpecProblem], MatchDraft] = {
    val reader = SharedFieldsJson.reader(node, outer)
    reader.known(node, "a match", MatchFields)
    def texts(field: String) =
      node.path(field).properties.asScala.toSeq.map(one => one.getKey -> one.getValue.asText(""))
    val draft = MatchDraft(
      node.path("pattern").asText,
      texts("define"),
      texts("measures"),
      reader.span(node, "within"),
      reader.word(node, "after", AfterMatch.All).getOrElse(AfterMatch.PastLastRow),
      SharedFieldsJson.lateness(node, reader),
      reader.span(node, "max_future"))
    Either.cond(reader.problems.isEmpty, draft, reader.problems)
  }

  // ---- joins

  private def join(node: ObjectNode, outer: Map[String, String]): Either[Seq[SpecProblem], JoinDraft] = {
    val reader = SharedFieldsJson.reader(node, outer)
    reader.known(node, "a join", JoinFields)
    val all = streams(node, reader)
    val draft = JoinDraft(
      all,
      reader.flag(node, "on").getOrElse(false),
      within(node, all.map(_.name), reader),
      reader.word(node, "how", JoinKind.All).getOrElse(JoinKind.Inner),
      SharedFieldsJson.lateness(node, reader),
      Option(node.get("early")).flatMap(TriggerJson.read(_, "early", reader)).getOrElse(EachMessage),
      SharedFieldsJson.retention(node, Set("time", "messages"), reader),
      reader.span(node, "max_future"),
      reader.word(node, "expect", Seq(ExpectedSize.Small, ExpectedSize.Large))
        .getOrElse(ExpectedSize.Large),
      SharedFieldsJson.offsetsByStream(node, reader))
    Either.cond(reader.problems.isEmpty, draft, reader.problems)
  }

  /** Writes a spec in the form that `read` expects. */
  def write(spec: JoinSpec): ObjectNode = {
    val node    = mapper.createObjectNode().put("operator", "join").put("time_unit", "us")
    val streams = node.putArray("streams")
    spec.streams.foreach { stream =>
      val one = streams.addObject().put("name", stream.name)
      stream.window.foreach(WindowKindJson.write(_, one.putObject("window")))
    }
    node.put("on", spec.hasKeys).put("how", spec.how.toString).put("expect", JsonReader.word(spec.expect))
    spec.within match {
      case Within.OwnWindows         => ()
      case Within.Everything         => WindowKindJson.write(Global, node.putObject("within"))
      case Within.SameWindow(window) => WindowKindJson.write(window, node.putObject("within"))
      case Within.Ranges(of)         => write(of, node)
      case Within.AsOf(direction, tolerance) =>
        val within = node.putObject("within").put("direction", direction.toString)
        tolerance.foreach(span => within.put("tolerance", span.micros))
    }
    SharedFieldsJson.write(spec.draft.lateness, node)
    node.set[JsonNode]("early", TriggerJson.write(spec.early))
    SharedFieldsJson.write(spec.retention, node)
    spec.maxFuture.foreach(span => node.put("max_future", span.micros))
    if (spec.startOffsets.nonEmpty) {
      val offsets = node.putObject("start_offsets")
      spec.startOffsets.toSeq.sortBy(_._1).foreach { case (name, of) =>
        SharedFieldsJson.write(of, offsets.putObject(name))
      }
    }
    node
  }

  /** Writes the ranges. If their bounds differ, writes all as closed ranges, because JSON has one field `bounds` for
    * all.
    */
  private def write(ranges: Map[String, JoinRange], node: ObjectNode): Unit = {
    val within = node.putObject("within")
    val bounds = ranges.values.map(range => (range.isLowOpen, range.isHighOpen)).toSeq.distinct
    bounds match {
      case Seq((low, high)) => node.put("bounds", s"${if (low) "(" else "["}${if (high) ")" else "]"}")
      case _                => ()
    }
    ranges.toSeq.sortBy(_._1).foreach { case (name, range) =>
      val (low, high) =
        if (bounds.size == 1) (range.low.micros, range.high.micros) else (range.least, range.greatest)
      within.putArray(name).add(low).add(high)
    }
  }

  private def streams(node: ObjectNode, reader: JsonReader): Seq[JoinStream] =
    node.path("streams").elements.asScala.toSeq.flatMap { stream =>
      reader.known(stream, "a stream", Set("name", "window"))
      val name = reader.child(stream, "name").map(_.asText)
        .orElse(reader.refuse[String](
          "NAME_NOT_STATED"))
      name.map(JoinStream(_, reader.child(stream, "window").flatMap(WindowKindJson.read(_, reader))))
    }

  /** Reads `[low, high]`, the same for every stream, or `{"<stream>": [low, high]}`, or a window: `{"kind": "global"}`.
    */
  private def within(node: ObjectNode, names: Seq[String], reader: JsonReader): Within =
    reader.child(node, "within") match {
      case None => Within.OwnWindows
      case Some(window) if window.has("kind") && !window.get("kind").isArray => // otherwise a stream is called "kind"
        WindowKindJson.read(window, reader) match {
          case Some(Global) => Within.Everything
          case Some(kind)   => Within.SameWindow(kind)
          case None         => Within.OwnWindows
        }
      case Some(asOf) if asOf.path("direction").isTextual => // otherwise a stream is called "direction"
        reader.known(asOf, "an as-of join", Set("direction", "tolerance"))
        Within.AsOf(
          reader.word(asOf, "direction", AsofDirection.All).getOrElse(AsofDirection.Backward),
          reader.span(asOf, "tolerance"))
      case Some(bySide) if bySide.isObject =>
        Within.Ranges(bySide.properties.asScala.flatMap(e => range(node, e.getValue, reader).map(e.getKey -> _)).toMap)
      case Some(same) =>
        Within.Ranges(names.drop(1).flatMap(name => range(node, same, reader).map(name -> _)).toMap)
    }

  private def range(node: ObjectNode, ends: JsonNode, reader: JsonReader): Option[JoinRange] = {
    val bounds = node.path("bounds").asText("[]")
    if (!JoinWithin.Bounds.contains(bounds))
      reader.refuse(SpecProblem.unknown("bounds", bounds, JoinWithin.Bounds))
    else if (!ends.isArray || ends.size != 2)
      reader.refuse("RANGE_NOT_UNDERSTOOD.FORM", "value" -> ends)
    else {
      val both = mapper.createObjectNode()
      both.set[JsonNode]("low", ends.get(0))
      both.set[JsonNode]("high", ends.get(1))
      reader.span(both, "low").zip(reader.span(both, "high")).map { case (low, high) =>
        JoinRange(low, high, bounds.head == '(', bounds.last == ')')
      }
    }
  }
}
