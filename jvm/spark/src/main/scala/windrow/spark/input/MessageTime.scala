package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType
import windrow.SpecProblem

/** What can be the event time of a message. */
private[spark] object MessageTime {

  /** @param completes
    *   a watermark goes by it, which Spark has of TIMESTAMP alone
    * @return
    *   what is wrong with it
    */
  def problem(time: Expression, completes: Boolean): Option[SpecProblem] = time.dataType match {
    case TimestampType                  => None
    case TimestampNTZType if !completes => None
    case TimestampNTZType               => Some(SpecProblem("TIME_NOT_TIMESTAMP.NTZ", "time" -> time.sql))
    case other => Some(SpecProblem("TIME_NOT_TIMESTAMP.TYPE", "time" -> time.sql, "type" -> other.sql))
  }
}
