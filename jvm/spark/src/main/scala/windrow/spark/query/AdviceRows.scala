package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.advice.{Advice, LatenessEffect}

/** Shows advice as a table: one row for the recommended lateness, one for the query's present lateness, and one for
  * each other share.
  */
private[spark] object AdviceRows {
  private val Schema = StructType.fromDDL(
    "what string, share double, lateness bigint, caught double, corrected double, growth double, " +
      "messages bigint, late bigint, windows bigint")

  def apply(advice: Advice): LogicalPlan = {
    def row(what: String, share: Any, of: LatenessEffect) = InternalRow(
      UTF8String.fromString(what),
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
    LocalRelation(Schema.map(field => AttributeReference(field.name, field.dataType)()), rows)
  }
}
