package windrow.spark.dedup

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.spark.arguments.{ArgumentReader, StreamArguments, TableArguments}
import windrow.spark.output.OutputKind
import windrow.spark.stream.WindowQuery
import windrow.{AccumulationMode, DedupDraft, Keep}

/** Plans `windrow_dedup(TABLE(orders), key => 'id', time => 'time', within => '10 minutes', ...)`. */
private[spark] object DedupSql {
  val Name = "windrow_dedup"

  private[spark] val Allowed: Seq[String] =
    Seq("key", "within", "order_by", "keep", "accumulation_mode", "lateness", "max_future") ++ StreamArguments.Names

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read(Name, expressions, Allowed)
    val reader    = new ArgumentReader(arguments.values)
    val options   = StreamArguments.read(reader, outputs = OutputKind.OfRows)
    val draft = DedupDraft(
      reader.spanIfSet("within"),
      arguments.names("order_by").getOrElse(Nil),
      reader.spanIfSet("lateness"),
      reader.spanIfSet("max_future"),
      reader.wordIfSet("keep", Keep.All).getOrElse(Keep.First),
      reader.wordIfSet("accumulation_mode", AccumulationMode.All))
    val session = SparkSession.active
    WindowQuery.plan(
      session,
      Name,
      reader.checked(draft.check, arguments.problems).map(Dedup(_) -> options),
      Dedup.parts(session, arguments.table, Some(arguments.names("key").getOrElse(Nil))),
      stated = Some(options))
  }
}
