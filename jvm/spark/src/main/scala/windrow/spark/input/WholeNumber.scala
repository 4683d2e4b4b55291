package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Expression}
import org.apache.spark.sql.types.{ByteType, DecimalType, IntegerType, LongType, ShortType, StringType}
import windrow.SpecProblem
import windrow.spark.functions.NullIfFails

/** Converts a partition or an offset to a long. A value that is not an integer becomes null, as if it were missing,
  * because no row may fail a query.
  */
private[spark] object WholeNumber {
  def apply(column: Expression): Expression = column.dataType match {
    case ByteType | ShortType | IntegerType | LongType => Cast(NullIfFails.of(column), LongType)
    case _ => Cast(NullIfFails.of(column), LongType, evalMode = EvalMode.TRY)
  }

  /** Returns the problem of a type whose different values could be converted to the same number, so that rows would be
    * mistaken for duplicates (SEMANTICS R13).
    *
    * @param part
    *   the part of the identity that the column contains
    */
  def problem(part: String, column: Expression): Option[SpecProblem] = column.dataType match {
    case ByteType | ShortType | IntegerType | LongType | _: StringType => None
    case decimal: DecimalType if decimal.scale == 0                    => None
    case other =>
      Some(SpecProblem("OFFSET_NOT_WHOLE", "part" -> part, "type" -> other.sql))
  }
}
