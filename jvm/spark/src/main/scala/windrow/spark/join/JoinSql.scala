package windrow.spark.join

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import windrow.TimeSpan

/** What the join and the arguments of `windrow_join` say, as the JSON that the builders write. */
private[spark] object JoinSql {
  private val mapper = new ObjectMapper()

  val Name = "windrow_join"

  private val Copied = Seq("lateness", "max_future", "expect", "output")

  val Allowed: Seq[String] =
    Copied ++ Seq("early", "retain_time", "retain_messages", "time", "watermark", "partition", "offset_column")

  def json(table: JoinTable, values: Map[String, Any]): ObjectNode = {
    val node    = mapper.createObjectNode().put("operator", "join").put("how", table.how.toString)
    val streams = node.putArray("streams")
    table.sides.foreach { case (name, _) => streams.addObject().put("name", name) }
    node.put("on", table.keys.nonEmpty)
    if (table.ranges.nonEmpty) {
      val within = node.putObject("within")
      table.ranges.foreach { case (name, range) =>
        within.putArray(name).add(range.low.micros).add(range.high.micros)
      }
    }
    Copied.foreach(name => values.get(name).foreach(put(node, name, _)))
    values.get("early").filterNot(_ == "each_message").foreach(put(node.putObject("early"), "every_time", _))
    val limits = Seq("retain_time", "retain_messages").filter(values.contains)
    if (limits.nonEmpty) {
      val kept = node.putObject("retention")
      limits.foreach(name => put(kept, name.stripPrefix("retain_"), values(name)))
      if (table.ranges.isEmpty) node.putObject("within").put("kind", "global")
    }
    val input = node.putObject("input")
    val on    = input.putArray("on")
    table.keys.foreach { case (name, _) => on.add(name) }
    val each = input.putObject("streams")
    values.get("watermark").foreach(mark =>
      table.sides.foreach { case (name, _) => put(each.putObject(name), "watermark", mark) })
    node
  }

  private def put(to: ObjectNode, name: String, value: Any): Unit = {
    value match {
      case TimeSpan(micros)                   => to.put(name, micros)
      case number: Long if name == "messages" => to.put(name, number)
      case number: Long                       => to.put(name, number.toString) // refused: it has no unit
      case other                              => to.put(name, other.toString)
    }
    ()
  }
}
