package org.apache.spark.sql.windrow

import java.lang.reflect.Field
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.util.ManualClock

/** Processing time in the hands of a replay or a test: what each micro-batch of a query logs as its time.
  *
  * @param start
  *   milliseconds since the epoch
  */
final class QueryClock(start: Long) {
  private val clock = new ManualClock(start)

  /** Moves on to a time, at least by so many milliseconds, or is set back to it; None: by the least. */
  def moveTo(millis: Option[Long], least: Long): Unit = {
    val now = clock.getTimeMillis()
    clock.setTime(millis.filter(_ < now).getOrElse(math.max(millis.getOrElse(now), now + least)))
  }

  /** Has a query that has run no batch yet read this clock. */
  def rule(query: StreamingQuery): Unit = {
    val (execution, field) = QueryClock.of(query)
    field.set(execution, clock)
  }
}

object QueryClock {

  /** Has a query read this time, in milliseconds, until it is told another one; before its first batch for the first time. */
  def tell(query: StreamingQuery, millis: Long): Unit = {
    val (execution, field) = of(query)
    field.get(execution) match {
      case clock: ManualClock => clock.setTime(millis)
      case _                  => field.set(execution, new ManualClock(millis))
    }
  }

  /** Spark has no public way to the clock of a query, so a field is set. */
  private def of(query: StreamingQuery): (AnyRef, Field) = {
    val execution = RunningQuery.execute(query)
    val field = classesOf(execution.getClass).flatMap(_.getDeclaredFields).find(_.getName.endsWith("triggerClock")).get
    field.setAccessible(true)
    (execution, field)
  }

  private def classesOf(of: Class[_]): Iterator[Class[_]] =
    Iterator.iterate[Class[_]](of)(_.getSuperclass).takeWhile(_ != null)
}
