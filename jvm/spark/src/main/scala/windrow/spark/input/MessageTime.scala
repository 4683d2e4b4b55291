package windrow.spark.input

import java.time.{ZoneId, ZoneOffset}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, StructType, TimestampNTZType, TimestampType}
import windrow.WindowFamily._
import windrow.{SpecProblem, TimeSpan, WindowFamily, WindowKind}

/** Checks which columns can be the event time of rows. */
private[spark] object MessageTime {
  private val Bounds = Seq("start", "end", "last")

  /** Returns the problems of a time without a zone, if the query needs an instant.
    *
    * @param as
    *   the name of the time in error messages
    */
  def withoutZone(
      as: String,
      of: DataType,
      windows: Option[WindowKind],
      maxFuture: Option[TimeSpan]): Seq[SpecProblem] =
    if (of != TimestampNTZType) Nil
    else windows.toSeq.flatMap(one => zones(one.family)).distinct.filter(_.normalized != ZoneOffset.UTC).map(
      zone => // local times count as UTC
        SpecProblem("TIME_NOT_TIMESTAMP.ZONE", "time" -> as, "zone" -> zone.getId)) ++ maxFuture.map(limit =>
      SpecProblem("TIME_NOT_TIMESTAMP.AHEAD", "time" -> as, "limit" -> limit))

  /** The time zones on which the bounds of windows depend. */
  private def zones(windows: WindowFamily): Seq[ZoneId] = windows match {
    case aligned: Aligned                                                                    => aligned.grid.zone.toSeq
    case Several(families)                                                                   => families.flatMap(zones)
    case SingleWindow | _: GapFamily | _: Inherited | _: Run | _: Numbered | _: OffsetFamily => Nil
  }

  /** Returns the problem of an event time.
    *
    * @param completes
    *   whether a watermark follows it, which Spark supports only for TIMESTAMP
    * @return
    *   the problem, if there is one
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
