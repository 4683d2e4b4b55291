package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType

/** What can be the event time of a message. */
private[spark] object MessageTime {
  val Refused = "TIME_NOT_TIMESTAMP"

  /** @param completes
    *   a watermark goes by it, which Spark has of TIMESTAMP alone
    * @return
    *   what is wrong with it
    */
  def problem(time: Expression, completes: Boolean): Option[String] = time.dataType match {
    case TimestampType                  => None
    case TimestampNTZType if !completes => None
    case TimestampNTZType =>
      Some(s"time is ${time.sql} of type TIMESTAMP_NTZ; watermarks are of TIMESTAMP only. Convert it: " +
        "CAST(… AS TIMESTAMP), which takes it for a time of the session's zone.")
    case other =>
      Some(s"time is ${time.sql} of type ${other.sql}; it must be a timestamp. Convert it: to_timestamp(…) or " +
        "timestamp_micros(…).")
  }
}
