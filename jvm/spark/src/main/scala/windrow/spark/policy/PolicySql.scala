package windrow.spark.policy

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import java.util.Locale
import windrow.SpecProblem
import windrow.TimeSpan
import windrow.spark.sql.SqlSpec

/** What the arguments of `windrow_policy` say, as the JSON that the builders write. `Policy.sliding(ByCount(20),
  * trigger=ByDelta("price", 1.0))` is `eviction => 'sliding', by_count => 20, trigger_delta => 1.0, trigger_column =>
  * 'price'`.
  */
private[spark] object PolicySql {
  private val mapper = new ObjectMapper()

  val Name = "windrow_policy"

  private val Evictions = Seq("tumbling", "sliding")
  private val Rules     = Seq("count", "time", "delta")
  private val Limits    = Seq("age", "keys", "messages")

  val Allowed: Seq[String] =
    Seq("eviction") ++ (Rules ++ Seq("column", "mark")).map("by_" + _) ++ (Rules :+ "column").map("trigger_" + _) ++
      Limits.map("limit_" + _) ++ Seq("accumulate") ++ SqlSpec.Streamed

  /** With what is wrong and JSON cannot say. */
  def json(values: Map[String, Any]): (ObjectNode, Seq[SpecProblem]) = {
    val node   = mapper.createObjectNode()
    val window = node.putObject("window").put("kind", "policy")
    val found  = Seq.newBuilder[SpecProblem]
    val asked  = values.get("eviction").map(_.toString.toLowerCase(Locale.ROOT))
    if (!asked.exists(Evictions.contains))
      found += SpecProblem(
        "EVICTION_UNKNOWN",
        s"eviction is ${asked.fold("missing")(text => s"'$text'")}; allowed are 'tumbling' and 'sliding'.")
    val eviction = asked.filter(Evictions.contains).getOrElse(if (fires(values)) "sliding" else "tumbling")
    val by       = window.putObject("eviction").putObject(eviction)
    values.get("by_mark") match {
      case Some(column) if !Rules.exists(rule => values.contains(s"by_$rule")) && eviction == "tumbling" =>
        by.put("punctuation", column.toString)
      case Some(_) =>
        found += SpecProblem("MARK_NOT_ALONE", "by_mark is for eviction => 'tumbling', with no other by_….")
        by.put("count", 1) // any: it is refused
      case None => found ++= ruleInto(by, "by", values)
    }
    if (fires(values)) found ++= ruleInto(window.putObject("trigger"), "trigger", values)
    if (Limits.exists(name => values.contains(s"limit_$name"))) {
      val limit = window.putObject("limit")
      Limits.foreach(name => values.get(s"limit_$name").foreach(put(limit, name, _)))
    }
    values.get("accumulate").foreach(mode => node.put("accumulation", mode.toString.toLowerCase(Locale.ROOT)))
    SqlSpec.streamInto(node, values)
    (node, found.result())
  }

  private def fires(values: Map[String, Any]): Boolean = (Rules :+ "column").exists(rule =>
    values.contains(s"trigger_$rule"))

  /** One of three rules; a wrong one is put so that it is not found wrong again. */
  private def ruleInto(rule: ObjectNode, prefix: String, values: Map[String, Any]): Seq[SpecProblem] = {
    val stated = Rules.filter(name => values.contains(s"${prefix}_$name"))
    val column = values.get(s"${prefix}_column").map(_.toString)
    def delta  = values(s"${prefix}_delta")
    def refused(code: String, text: String) = {
      rule.put("count", 1)
      Seq(SpecProblem(code, text))
    }
    stated match {
      case Seq("delta") =>
        (delta, column) match {
          case (number @ (_: Long | _: Double), Some(name)) =>
            rule.putObject("delta").put("attribute", name).put("by", number.toString.toDouble)
            Nil
          case (_, None) =>
            refused("COLUMN_NOT_STATED", s"${prefix}_delta needs its column: ${prefix}_column => 'price'.")
          case (other, _) => refused("DELTA_NOT_UNDERSTOOD", s"${prefix}_delta is '$other'; it must be a number.")
        }
      case Seq(name) =>
        put(rule, name, values(s"${prefix}_$name"))
        column.toSeq.map(_ => SpecProblem("COLUMN_WITHOUT_DELTA", s"${prefix}_column is for ${prefix}_delta."))
      case Seq() =>
        val more = if (prefix == "by") ", or by_mark => 'last'" else ""
        refused(
          s"${prefix.toUpperCase(Locale.ROOT)}_NOT_STATED",
          s"say ${prefix}_count => 20, ${prefix}_time => '10 seconds', ${prefix}_delta => 1.0 with ${prefix}_column => 'price'$more.")
      case several =>
        refused(
          s"${prefix.toUpperCase(Locale.ROOT)}_TWICE",
          s"say one of ${several.map(name => s"${prefix}_$name").mkString(", ")}.")
    }
  }

  private def put(to: ObjectNode, name: String, value: Any): Unit = {
    value match {
      case TimeSpan(micros)                                  => to.put(name, micros)
      case number: Long if Set("time", "age").contains(name) => to.put(name, number.toString) // refused: it has no unit
      case number: Long                                      => to.put(name, number)
      case other                                             => to.put(name, other.toString)
    }
    ()
  }
}
