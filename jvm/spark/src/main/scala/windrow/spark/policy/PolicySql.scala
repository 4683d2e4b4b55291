package windrow.spark.policy

import java.util.Locale
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow._
import windrow.spark.arguments.{ArgumentReader, StreamArguments, TableArguments}
import windrow.spark.input.AggregateParts
import windrow.spark.stream.WindowQuery

/** Plans `windrow_policy`. `Policy.sliding(ByCount(20), trigger=ByDelta("price", 1.0))` is
  * `eviction => 'sliding', by_count => 20, trigger_delta => 1.0, trigger_column => 'price'`.
  */
private[spark] object PolicySql {
  val Name = "windrow_policy"

  private val Rules = Seq("count", "time", "delta")

  private[spark] val Allowed: Seq[String] =
    Seq("eviction") ++ (Rules ++ Seq(
      "column",
      "punctuation")).map("by_" + _) ++ (Rules :+ "column").map("trigger_" + _) ++
      Seq("limit_idle", "limit_max_keys", "limit_max_rows", "accumulation_mode") ++ StreamArguments.Names

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read(Name, expressions, Allowed)
    val reader    = new ArgumentReader(arguments.values)
    val options   = StreamArguments.read(reader)
    val spec      = new PolicyReader(reader, arguments.values).spec
    val found     = arguments.problems ++ spec.left.getOrElse(Nil)
    WindowQuery.plan(
      SparkSession.active,
      if (arguments.problems.isEmpty && reader.problems.isEmpty) "Policy" else Name,
      spec.filterOrElse(_ => found.isEmpty, Nil).left.map(_ => found).map(Policies(_) -> options),
      AggregateParts.of(arguments.table))
  }

  private final class PolicyReader(reader: ArgumentReader, values: Map[String, Any]) {

    /** Reads the specification. Reports problems of rules and limits even if they do not form a policy together. */
    def spec: Either[Seq[SpecProblem], PolicyWindowSpec] = {
      checkAccumulation()
      val sliding = isSliding
      val by      = if (isPunctuated) None else rule("by")
      val fires   = (Rules :+ "column").exists(name => reader.isSet(s"trigger_$name"))
      val trigger = if (fires) rule("trigger") else None
      val limits =
        KeyLimits(
          reader.spanIfSet("limit_idle"),
          reader.countIfSet("limit_max_keys"),
          reader.countIfSet("limit_max_rows"))
      val eviction =
        if (isPunctuated) punctuated(sliding)
        else if (!sliding.getOrElse(fires)) by.map(Eviction.Tumbling(_))
        else by.zip(trigger).map { case (by, trigger) => Eviction.Sliding(by, trigger) }
      if (sliding.contains(false) && fires)
        reader.refuse[Unit](
          "TRIGGER_ON_TUMBLING")
      if (sliding.contains(true) && !fires)
        reader.refuse[Unit]("TRIGGER_NOT_STATED.POLICY")
      (reader.problems, eviction) match {
        case (Seq(), Some(read)) => PolicyWindowSpec.check(read, limits)
        case (wrong, _)          => Left(wrong ++ (by ++ trigger).flatMap(_.problems) ++ limits.problems)
      }
    }

    private def checkAccumulation(): Unit =
      reader.nameIfSet("accumulation_mode").filterNot(_.equalsIgnoreCase("accumulating"))
        .foreach(mode =>
          reader.refuse[Unit](
            "VALUE_NOT_SUPPORTED.POLICY",
            "name"  -> "accumulation_mode",
            "value" -> mode))

    /** Returns None if the eviction is neither tumbling nor sliding. */
    private def isSliding: Option[Boolean] = {
      val asked = reader.nameIfSet("eviction").map(_.toLowerCase(Locale.ROOT))
      Seq("tumbling" -> false, "sliding" -> true).collectFirst { case (name, is) if asked.contains(name) => is }.orElse(
        reader.refuse(
          "EVICTION_UNKNOWN",
          "value" -> asked.fold("missing")(text => s"'$text'")))
    }

    private def isPunctuated: Boolean = reader.isSet("by_punctuation")

    private def punctuated(sliding: Option[Boolean]): Option[Eviction] =
      if (sliding.contains(true) || Rules.exists(rule => reader.isSet(s"by_$rule")))
        reader.refuse("PUNCTUATION_NOT_ALONE")
      else reader.nameIfSet("by_punctuation").map(Eviction.ByPunctuation(_))

    /** Reads one of three rules. */
    private def rule(prefix: String): Option[By] = {
      val column = reader.nameIfSet(s"${prefix}_column")
      val stated = Rules.map(name => s"${prefix}_$name").filter(reader.isSet)
      if (column.isDefined && stated.size == 1 && !stated.head.endsWith("_delta"))
        reader.refuse[Unit]("COLUMN_WITHOUT_DELTA", "prefix" -> prefix)
      stated match {
        case Seq(name) if name.endsWith("_count") => reader.countIfSet(name).map(ByCount(_))
        case Seq(name) if name.endsWith("_time")  => reader.spanIfSet(name).map(ByTime(_))
        case Seq(name)                            => delta(prefix, values(name), column)
        case Seq() =>
          reader.refuse(if (prefix == "by") "BY_NOT_STATED" else "TRIGGER_NOT_STATED.SQL")
        case several =>
          reader.refuse("RULE_TWICE", "names" -> several.mkString(", "))
      }
    }

    private def delta(prefix: String, value: Any, column: Option[String]): Option[By] = (value, column) match {
      case (number: Long, Some(name))   => Some(ByDelta(name, number.toDouble))
      case (number: Double, Some(name)) => Some(ByDelta(name, number))
      case (_, None) =>
        reader.refuse("COLUMN_NOT_STATED.DELTA", "prefix" -> prefix)
      case (other, _) => reader.refuse("DELTA_NOT_UNDERSTOOD", "name" -> s"${prefix}_delta", "value" -> s"'$other'")
    }
  }
}
