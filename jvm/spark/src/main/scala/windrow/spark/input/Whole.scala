package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.EvalMode
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.ShortType

/** A number of a partition or an offset. What is none is null, as if it were not there: no row may end a query. */
private[spark] object Whole {
  def apply(column: Expression): Expression = column.dataType match {
    case ByteType | ShortType | IntegerType | LongType => Cast(column, LongType)
    case _                                             => Cast(column, LongType, evalMode = EvalMode.TRY)
  }
}
