package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType
import windrow.TimeSpan
import windrow.core.time.EventTime
import windrow.spark.functions.NullIfFails

/** Event times as microseconds, null where a message has none that can be used (SEMANTICS T1, W3), so that nothing that is
  * computed of them overflows, which Spark makes an error of the query.
  */
private[spark] object ValidTime {
  private val Nothing = Literal.create(null, LongType)

  def micros(time: Expression): Expression = {
    val all = unchecked(time)
    If(And(GreaterThan(all, Literal(-EventTime.Limit)), LessThan(all, Literal(EventTime.Limit))), all, Nothing)
  }

  /** @param micros
    *   valid or null
    */
  def ofSession(micros: Expression, gap: Expression): Expression = {
    val end = Add(micros, gap, EvalMode.TRY)
    If(And(GreaterThan(gap, Literal(0L)), LessThan(end, Literal(EventTime.Limit))), micros, Nothing)
  }

  /** It is ahead of processing time by more than a limit. */
  def isBeyond(micros: Expression, now: Expression, limit: TimeSpan): Expression =
    GreaterThan(micros, Add(now, Literal(math.min(limit.micros, EventTime.Limit)), EvalMode.TRY))

  /** How long an interval is that begins at a time, in microseconds; null where it has no end. */
  def length(time: Expression, interval: Expression, zone: String): Expression =
    NullIfFails(Subtract(unchecked(TimestampAddInterval(time, interval, Some(zone))), unchecked(time)))

  /** A time that moves the watermark, null where it does not. */
  def unless(condition: Expression, time: Expression): Expression =
    If(condition, Literal.create(null, time.dataType), time)

  /** Processing time of a micro-batch. */
  def now: Expression = unchecked(CurrentTimestamp())

  private def unchecked(time: Expression): Expression = PreciseTimestampConversion(time, time.dataType, LongType)
}
