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

  /** Moves on to a time, at least by so many milliseconds. A query in processing-time mode calls a shard without messages
    * only where time has moved.
    */
  def moveTo(millis: Long, least: Long): Unit = clock.setTime(math.max(millis, clock.getTimeMillis() + least))

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
