package windrow.spark.input

import java.time.ZoneOffset
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType
import windrow.Calendar
import windrow.SpecProblem
import windrow.TimeSpan
import windrow.WindowKind

/** What can be the event time of a message. */
private[spark] object MessageTime {
  private val Bounds = Seq("start", "end", "last")

  /** What is wrong with a time of no zone where it must be known when that is.
    *
    * @param as
    *   what messages call it
    */
  def withoutZone(
      as: String,
      of: DataType,
      windows: Option[WindowKind],
      maxFuture: Option[TimeSpan]): Seq[SpecProblem] =
    if (of != TimestampNTZType) Nil
    else windows.collect {
      case Calendar(_, _, zone) if zone.normalized != ZoneOffset.UTC => // by which they are counted as they stand
        SpecProblem("TIME_NOT_TIMESTAMP.ZONE", "time" -> as, "zone" -> zone.getId)
    }.toSeq ++ maxFuture.map(limit => SpecProblem("TIME_NOT_TIMESTAMP.AHEAD", "time" -> as, "limit" -> limit))

  /** @param completes
    *   a watermark goes by it, which Spark has of TIMESTAMP alone
    * @return
    *   what is wrong with it
    */
  def problem(time: Expression, completes: Boolean): Option[SpecProblem] = time.dataType match {
    case TimestampType                  => None
    case TimestampNTZType if !completes => None
    case TimestampNTZType               => Some(SpecProblem("TIME_NOT_TIMESTAMP.NTZ", "time" -> time.sql))
    case window: StructType if Bounds.exists(window.fieldNames.contains) =>
      val bounds = Bounds.filter(window.fieldNames.contains).map(name => s"${time.sql}.$name").mkString(" or ")
      Some(SpecProblem("TIME_NOT_TIMESTAMP.WINDOW", "time" -> time.sql, "bounds" -> bounds))
    case other => Some(SpecProblem("TIME_NOT_TIMESTAMP.TYPE", "time" -> time.sql, "type" -> other.sql))
  }
}
