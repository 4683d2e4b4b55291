package windrow.spark.sql

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.NullNode
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.node.TextNode
import java.util.Locale
import windrow.CalendarUnit
import windrow.SpecProblem
import windrow.TimeSpan
import windrow.WindowKind
import windrow.spark.arguments.TableArguments

/** What the arguments of an SQL function say, as the JSON that the builders write; see [[OptionsReader]].
  *
  * @param name
  *   of the function
  * @param kind
  *   of its windows
  * @param window
  *   arguments that say what the windows are
  */
private[spark] final case class SqlSpec(name: String, kind: String, window: Seq[String]) {
  import SqlSpec._

  def allowed: Seq[String] = window ++ Common

  /** With what is wrong and JSON cannot say. */
  def json(said: TableArguments): (ObjectNode, Seq[SpecProblem]) = {
    val arguments = said.values
    val node      = mapper.createObjectNode()
    val wrong     = windowInto(node.putObject("window"), arguments) ++ Triggers.flatMap(triggerInto(node, arguments, _))
    Seq("lateness", "max_future", "fire_only_updated", "complete", "fill_gaps").foreach(copy(arguments, _, node))
    arguments.get("on_time").foreach {
      case false => node.putNull("on_time")
      case true  => ()
      case other => node.put("on_time", other.toString)
    }
    arguments.get("accumulate").foreach(mode => node.put("accumulation", mode.toString.toLowerCase(Locale.ROOT)))
    if (Limits.exists(arguments.contains)) {
      val limits = node.putObject("retention")
      Limits.foreach(name => arguments.get(name).foreach(put(limits, name.stripPrefix("retain_"), _)))
    }
    val stream = streamInto(node, arguments)
    gapColumn(arguments).foreach(stream.put("gap", _))
    if (arguments.contains("key")) node.put("operator", "full_state")
    Seq("key", "join_keys").foreach(argument =>
      said.names(argument).foreach { columns =>
        val names = stream.putArray(argument)
        columns.foreach(names.add(_))
      })
    (node, wrong)
  }

  private def windowInto(node: ObjectNode, arguments: Map[String, Any]): Seq[SpecProblem] =
    arguments.get("zone") match {
      case Some(zone) =>
        val read          = CalendarUnit.parse(arguments.getOrElse("size", "").toString)
        val (count, unit) = read.getOrElse((1, CalendarUnit.All.head)) // any: it is refused
        node.put("kind", "calendar").put("n", count).put("unit", unit.toString).put("zone", zone.toString)
        if (arguments.contains("offset")) copy(arguments, "offset", node)
        read.left.toSeq
      case None =>
        node.put("kind", kind)
        window.filterNot(_ == "gap" && gapColumn(arguments).isDefined).foreach(copy(arguments, _, node))
        Nil
    }

  private def triggerInto(node: ObjectNode, arguments: Map[String, Any], name: String): Option[SpecProblem] =
    arguments.get(name).flatMap { value =>
      val read = trigger(value)
      read.foreach(node.set[JsonNode](name, _))
      Option.when(read.isEmpty)(SpecProblem(
        "TRIGGER_UNKNOWN",
        s"$name is ${shown(value)}; allowed are 'never', 'each_message', 'each_step', '1000 messages', a period such " +
          "as '10 seconds', or an array of these."))
    }

  /** A gap that is no duration is the name of the column that has it. */
  private def gapColumn(arguments: Map[String, Any]): Option[String] =
    if (!window.contains("gap")) None
    else arguments.get("gap").collect { case column: String if TimeSpan.parse(column).isLeft => column }

  private def copy(arguments: Map[String, Any], name: String, to: ObjectNode): Unit =
    arguments.get(name).foreach(put(to, name, _))

  private def put(to: ObjectNode, name: String, value: Any): Unit = {
    value match {
      case TimeSpan(micros)                       => to.put(name, micros)
      case number: Long if Counted.contains(name) => to.put(name, number)
      case number: Long if kind == "offsets"      => to.put(name, number)
      case number: Long                           => to.put(name, number.toString) // refused: it has no unit
      case truth: Boolean                         => to.put(name, truth)
      case other                                  => to.put(name, other.toString)
    }
    ()
  }
}

private[spark] object SqlSpec {
  private val mapper = new ObjectMapper()

  private val Limits       = Seq("retain_time", "retain_messages", "retain_windows")
  private val Triggers     = Seq("early", "late")
  private val SomeMessages = """\d+ messages?""".r
  private val Counted      = Set("n", "step", "rows", "messages", "windows")

  /** What says of a message where its fields are. */
  private val Fields = Seq("time", "watermark", "behind_processing_time", "source", "partition", "offset_column")

  /** What all functions over one stream take. */
  val Streamed: Seq[String] = Seq("stream", "output") ++ Fields

  private val Common = Seq("lateness", "max_future", "early", "on_time", "late", "fire_only_updated", "accumulate") ++
    Seq("complete", "fill_gaps", "key", "join_keys") ++ Streamed ++ Limits

  val All: Seq[SqlSpec] =
    for (form <- WindowKind.Forms; function <- form.function) yield SqlSpec(function, form.name, form.arguments)

  /** Puts the stream into the JSON of a spec, and which output is wanted. */
  def streamInto(node: ObjectNode, arguments: Map[String, Any]): ObjectNode = {
    arguments.get("output").foreach(kind => node.put("output", kind.toString))
    val stream = node.putObject("stream")
    Fields.foreach(name =>
      arguments.get(name).foreach {
        case TimeSpan(micros) => stream.put(name, micros)
        case other            => stream.put(name, other.toString)
      })
    arguments.get("stream").foreach(name => stream.put("name", name.toString))
    stream
  }

  /** 'never', 'each_message', 'each_step', '1000 messages' or the number alone, a period, or an array of these. */
  private def trigger(value: Any): Option[JsonNode] = value match {
    case all: Seq[_] =>
      val read  = all.map(trigger)
      val array = mapper.createArrayNode()
      read.flatten.foreach(array.add(_))
      Option.unless(read.contains(None))(array)
    case "never"                                    => Some(NullNode.instance)
    case "each_message"                             => trigger(1L)
    case "each_step"                                => Some(TextNode.valueOf("each_step"))
    case number: Long                               => Some(mapper.createObjectNode().put("every_messages", number))
    case text: String if SomeMessages.matches(text) => text.takeWhile(_.isDigit).toLongOption.flatMap(trigger)
    case TimeSpan(micros)                           => Some(mapper.createObjectNode().put("every_time", micros))
    case _                                          => None
  }

  private def shown(value: Any): String = value match {
    case all: Seq[_] => all.map(shown).mkString("array(", ", ", ")")
    case text        => s"'$text'"
  }
}
