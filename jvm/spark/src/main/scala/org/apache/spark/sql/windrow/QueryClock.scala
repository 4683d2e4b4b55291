package org.apache.spark.sql.windrow

import java.lang.reflect.Field
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.util.ManualClock

/** A processing-time clock that a replay or a test controls. Each micro-batch of the query logs its time.
  *
  * @param start
  *   milliseconds since the epoch
  */
final class QueryClock(start: Long) {
  private val clock = new ManualClock(start)

  /** Advances to a time, by at least `least` milliseconds. A time before the present one sets the clock back; None
    * advances by `least`.
    */
  def moveTo(millis: Option[Long], least: Long): Unit = {
    val now = clock.getTimeMillis()
    clock.setTime(millis.filter(_ < now).getOrElse(math.max(millis.getOrElse(now), now + least)))
  }

  /** Makes a query that has not run a micro-batch yet use this clock. */
  def rule(query: StreamingQuery): Unit = {
    val (execution, field) = QueryClock.of(query)
    field.set(execution, clock)
  }
}

object QueryClock {

  /** Sets the time that a query reads, in milliseconds. The first call must precede its first micro-batch. */
  def set(query: StreamingQuery, millis: Long): Unit = {
    val (execution, field) = of(query)
    field.get(execution) match {
      case clock: ManualClock => clock.setTime(millis)
      case _                  => field.set(execution, new ManualClock(millis))
    }
  }

  /** Finds the field with the clock of a query. Spark does not expose it. */
  private def of(query: StreamingQuery): (AnyRef, Field) = {
    val execution = RunningQuery.execute(query)
    val field = classesOf(execution.getClass).flatMap(_.getDeclaredFields).find(_.getName.endsWith("triggerClock")).get
    field.setAccessible(true)
    (execution, field)
  }

  private def classesOf(of: Class[_]): Iterator[Class[_]] =
    Iterator.iterate[Class[_]](of)(_.getSuperclass).takeWhile(_ != null)
}
