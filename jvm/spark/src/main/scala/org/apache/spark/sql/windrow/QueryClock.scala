package org.apache.spark.sql.windrow

import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.util.ManualClock

/** Processing time in the hands of a replay: what each micro-batch of a query logs as its time.
  *
  * @param start
  *   milliseconds since the epoch
  */
final class QueryClock(start: Long) {
  private val clock = new ManualClock(start)

  /** Moves on to a time, at least by a millisecond: no two micro-batches of a query have one time. */
  def moveTo(millis: Long): Unit = clock.setTime(math.max(millis, clock.getTimeMillis() + 1))

  /** Has a query that has run no batch yet read this clock. Spark has no public way to it, so a field is set. */
  def rule(query: StreamingQuery): Unit = {
    val execution = query.getClass.getMethod("streamingQuery").invoke(query)
    val field = classesOf(execution.getClass).flatMap(_.getDeclaredFields).find(_.getName.endsWith("triggerClock")).get
    field.setAccessible(true)
    field.set(execution, clock)
  }

  private def classesOf(of: Class[_]): Iterator[Class[_]] =
    Iterator.iterate[Class[_]](of)(_.getSuperclass).takeWhile(_ != null)
}
