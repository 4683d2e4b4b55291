package windrow.spark.replay

import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.windrow.QueryClock

/** The processing time of the queries of a case. Each micro-batch of a query logs its time.
  *
  * @param now
  *   milliseconds since the epoch
  */
private[replay] final class StepClock(private var now: Long) {
  private var query = Option.empty[StreamingQuery]

  /** Advances to a time, by at least `least` milliseconds. A time before the present one sets the clock back; None
    * advances by `least`.
    */
  def moveTo(millis: Option[Long], least: Long): Unit = {
    now = millis.filter(_ < now).getOrElse(math.max(millis.getOrElse(now), now + least))
    query.foreach(QueryClock.set(_, now))
  }

  /** Makes a query that has not run a micro-batch yet use this clock. */
  def rule(started: StreamingQuery): Unit = {
    query = Some(started)
    QueryClock.set(started, now)
  }
}
