package org.apache.spark.sql.windrow

import java.lang.reflect.Field
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.util.ManualClock

/** The processing-time clock of a query that a test controls. */
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
