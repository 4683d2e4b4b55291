package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.EvalMode
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DecimalType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.StringType
import windrow.SpecProblem
import windrow.spark.functions.NullIfFails

/** A number of a partition or an offset. What is none is null, as if it were not there: no row may end a query. */
private[spark] object Whole {
  def apply(column: Expression): Expression = column.dataType match {
    case ByteType | ShortType | IntegerType | LongType => Cast(NullIfFails.of(column), LongType)
    case _ => Cast(NullIfFails.of(column), LongType, evalMode = EvalMode.TRY)
  }

  /** Of other types different values would become one number, and their messages duplicates (SEMANTICS R13).
    *
    * @param part
    *   what of the identity the column is
    */
  def problem(part: String, column: Expression): Option[SpecProblem] = column.dataType match {
    case ByteType | ShortType | IntegerType | LongType | _: StringType => None
    case decimal: DecimalType if decimal.scale == 0                    => None
    case other =>
      Some(SpecProblem("OFFSET_NOT_WHOLE", "part" -> part, "type" -> other.sql))
  }
}
