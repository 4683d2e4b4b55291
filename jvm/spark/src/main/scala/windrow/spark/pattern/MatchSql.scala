package windrow.spark.pattern

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.spark.arguments.{ArgumentReader, StreamArguments, TableArguments}
import windrow.spark.output.OutputKind
import windrow.spark.stream.WindowQuery
import windrow.{AfterMatch, MatchDraft}

/** Plans `windrow_match(TABLE(events), key => 'user', time => 'time', pattern => 'A B+', define => map('A', '...'),
  * within => '10 minutes', ...)`.
  */
private[spark] object MatchSql {
  val Name = "windrow_match"

  private[spark] val Allowed: Seq[String] =
    Seq("key", "pattern", "define", "measures", "within", "after", "lateness", "max_future") ++ StreamArguments.Names

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read(Name, expressions, Allowed)
    val reader    = new ArgumentReader(arguments.values)
    val options   = StreamArguments.read(reader, outputs = OutputKind.OfRows)
    val draft = MatchDraft(
      reader.nameIfSet("pattern").getOrElse(""),
      reader.textsIfSet("define"),
      reader.textsIfSet("measures"),
      reader.spanIfSet("within"),
      reader.wordIfSet("after", AfterMatch.All).getOrElse(AfterMatch.PastLastRow),
      reader.spanIfSet("lateness"),
      reader.spanIfSet("max_future"))
    val session = SparkSession.active
    val table   = Matches.parts(session, arguments.table, Some(arguments.names("key").getOrElse(Nil)))
    val checked = reader.checked(draft.check, arguments.problems).map(Matches(_) -> options)
    WindowQuery.plan(
      session,
      Name,
      Matches.withTexts(session, checked, Some(draft), table._2),
      table,
      stated = Some(options))
  }
}
