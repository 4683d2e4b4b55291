package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.first
import scala.language.implicitConversions

/** A condition on a row of a pattern. Created implicitly from a `String` with SQL, or from a `Column`.
  *
  * @param text
  *   the SQL; empty for a column
  * @param column
  *   the condition as an aggregate that marks it
  */
final class RowCondition private (private[spark] val text: String, private[spark] val column: Option[Column])

object RowCondition {
  implicit def ofText(text: String): RowCondition     = new RowCondition(text, None)
  implicit def ofColumn(column: Column): RowCondition = new RowCondition("", Some(first(column)))
}
