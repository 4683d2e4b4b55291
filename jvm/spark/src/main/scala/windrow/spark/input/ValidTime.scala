package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType
import windrow.TimeSpan
import windrow.core.time.EventTime
import windrow.spark.functions.NullIfFails
import windrow.spark.version.{Arithmetic, TimePlusInterval}

/** Converts event times to microseconds, or to null if a row lacks a usable one (SEMANTICS T1, W3). An expression over
  * valid times cannot overflow. Spark would end the query with an error on an overflow.
  */
private[spark] object ValidTime {
  private val NullTime = Literal.create(null, LongType)

  def micros(time: Expression): Expression = {
    val all = unchecked(time)
    If(And(GreaterThan(all, Literal(-EventTime.Limit)), LessThan(all, Literal(EventTime.Limit))), all, NullTime)
  }

  /** Returns the time of a session row, or null if the end of its session would be invalid.
    *
    * @param micros
    *   valid or null
    */
  def ofSession(micros: Expression, gap: Expression): Expression = {
    val end = Add(micros, gap, EvalMode.TRY)
    If(And(GreaterThan(gap, Literal(0L)), LessThan(end, Literal(EventTime.Limit))), micros, NullTime)
  }

  /** Whether a time is ahead of processing time by more than a limit. */
  def isBeyond(micros: Expression, now: Expression, limit: TimeSpan): Expression =
    GreaterThan(micros, Add(now, Literal(math.min(limit.micros, EventTime.Limit)), EvalMode.TRY))

  /** Returns the length in microseconds of an interval that starts at a time, or null if its end cannot be computed. */
  def length(time: Expression, interval: Expression, zone: String): Expression =
    NullIfFails(Arithmetic.subtract(unchecked(TimePlusInterval(time, interval, Some(zone))), unchecked(time)))

  /** Returns a time that advances the watermark, or null if the condition holds. */
  def watermarkTime(condition: Expression, time: Expression): Expression =
    If(condition, Literal.create(null, time.dataType), time)

  /** The processing time of a micro-batch. */
  def now: Expression = unchecked(CurrentTimestamp())

  private def unchecked(time: Expression): Expression = PreciseTimestampConversion(time, time.dataType, LongType)
}
