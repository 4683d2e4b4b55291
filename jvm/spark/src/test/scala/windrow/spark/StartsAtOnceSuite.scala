package windrow.spark

import java.sql.Timestamp
import org.apache.spark.sql.classic
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._
import scala.collection.mutable
import windrow._
import windrow.spark.sinks.Each

/** Tests concurrent starts, of which some temporarily change a setting of the session (SEMANTICS R69). */
final class StartsAtOnceSuite extends SparkSuite {
  test("every start waits for others, so that none begins with their setting") {
    implicit val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession].newSession()
    import session.implicits._
    val alone = mutable.Buffer.empty[Boolean]
    session.streams.addListener(new StreamingQueryListener { // the start waits for the listener
      def onQueryStarted(event: QueryStartedEvent): Unit       = alone += QueryStart.starting.isLocked
      def onQueryProgress(event: QueryProgressEvent): Unit     = ()
      def onQueryTerminated(event: QueryTerminatedEvent): Unit = ()
    })
    Windrow.stream(MemoryStream[Timestamp].toDF().toDF("time"), time = "time", watermark = Some("0 seconds"))
      .lateness("0 seconds").window(Tumbling("1 minute")).aggregate(count(lit(1)))
      .start(SparkSuite.folder(), panes = Some(Each((_, _) => ()))).stop()
    assert(alone == Seq(true) && !QueryStart.starting.isLocked)
  }
}
