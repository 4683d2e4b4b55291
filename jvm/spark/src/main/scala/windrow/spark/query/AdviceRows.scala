package windrow.spark.query

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside
import windrow.advice.{Advice, LatenessEffect}

/** Shows advice as a table: one row for the recommended lateness, one for the query's present lateness, and one for
  * each other share.
  */
private[spark] object AdviceRows {
  private val Schema = StructType.fromDDL(
    "what string, share double, lateness bigint, caught double, corrected double, growth double, " +
      "messages bigint, late bigint, windows bigint")

  def apply(advice: Advice): LogicalPlan = {
    def row(what: String, share: Any, of: LatenessEffect) = Row(
      what,
      share,
      of.lateness.micros,
      of.caught,
      of.corrected.orNull,
      of.growth,
      advice.messages,
      advice.late,
      advice.windows)
    val rows = row("advised", advice.share, advice.advised) +: row("present", null, advice.present) +:
      advice.table.map { case (share, of) => row("other", share, of) }
    SparkInside.table(Schema, rows)
  }
}
