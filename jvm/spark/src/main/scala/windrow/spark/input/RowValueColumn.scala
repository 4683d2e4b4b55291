package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{CalendarIntervalType, DayTimeIntervalType, IntegerType, LongType}
import windrow.spark.functions.NullIfFails
import windrow.{RowValue, SpecProblem}

/** Reads the value that a row brings to its windows. */
private[spark] object RowValueColumn {

  /** Whether the value is the session gap of each row, whose column a query names. */
  def isGap(of: RowValue): Boolean = of match {
    case RowValue.Duration(None)                                                                    => true
    case RowValue.NoValue | RowValue.RowCount | RowValue.Duration(Some(_)) | _: RowValue.LongestGap => false
  }

  /** Returns the user's column with the value of each row; None if rows have no values of their own.
    *
    * @param markers
    *   the columns that the query marks with the name of an argument
    * @param gap
    *   the name of the column of session gaps
    * @param column
    *   finds a column by its name, for an argument
    */
  def stated(of: RowValue, markers: Map[String, Expression], gap: Option[String])(
      column: (String, String) => Option[Expression]): Option[Expression] = of match {
    case RowValue.Duration(None) => markers.get("gap").orElse(gap.flatMap(column(_, "gap")))
    case RowValue.NoValue | RowValue.RowCount | RowValue.Duration(Some(_)) | _: RowValue.LongestGap => None
  }

  /** Returns the value, a long; None if rows bring nothing.
    *
    * @param stated
    *   the user's column
    */
  def of(
      value: RowValue,
      time: Expression,
      stated: Option[Expression],
      zone: String): Either[SpecProblem, Option[Expression]] = value match {
    case RowValue.NoValue             => Right(None)
    case _: RowValue.LongestGap       => Right(None)
    case RowValue.RowCount            => Right(Some(Literal(1L)))
    case RowValue.Duration(Some(gap)) => Right(Some(Literal(gap.micros)))
    case RowValue.Duration(None) =>
      stated.toRight(SpecProblem("GAP_NOT_STATED.QUERY")).flatMap(micros(time, _, zone)).map(Some(_))
  }

  /** Returns the event time, or null if the value of the row makes it invalid.
    *
    * @param micros
    *   valid or null
    */
  def validTime(of: RowValue, micros: Expression, value: Option[Expression]): Expression = of match {
    case RowValue.NoValue | RowValue.RowCount => micros
    case RowValue.LongestGap(longest) => if (longest == 0) micros else ValidTime.ofSession(micros, Literal(longest))
    case _: RowValue.Duration         => value.fold(micros)(ValidTime.ofSession(micros, _))
  }

  /** Returns the microseconds of a session gap, which is an interval or an integer number of microseconds. */
  private def micros(time: Expression, gap: Expression, zone: String): Either[SpecProblem, Expression] =
    gap.dataType match {
      case LongType                                      => Right(NullIfFails.of(gap))
      case IntegerType                                   => Right(Cast(NullIfFails.of(gap), LongType))
      case _: DayTimeIntervalType | CalendarIntervalType => Right(ValidTime.length(time, gap, zone))
      case other => Left(SpecProblem("GAP_NOT_INTERVAL", "gap" -> gap.sql, "type" -> other.sql))
    }
}
