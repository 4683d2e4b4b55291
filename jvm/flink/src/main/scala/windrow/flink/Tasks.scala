package windrow.flink

import java.time.Duration
import org.apache.flink.api.common.functions.AggregateFunction
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO
import org.apache.flink.streaming.api.datastream.{DataStream, WindowedStream}
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction
import org.apache.flink.streaming.api.functions.windowing.WindowFunction
import org.apache.flink.streaming.api.windowing.assigners.{
  EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows
}
import org.apache.flink.streaming.api.windowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.flink.util.Collector

/** The benchmark tasks in the DataStream API. The output has the same columns for all contenders. */
object Tasks {

  /** Creates the plan of a job.
    *
    * @param until
    *   later windows are omitted, because only Flink closes them at the end of the input
    */
  def rows(job: Job, feed: Feed, until: Long): DataStream[Array[Long]] = {
    def span(name: String) = Duration.ofMillis(job.numbers(name))
    job.task match {
      case "hops" if job.numbers("size") == job.numbers("step") =>
        summed(feed.keyed(0).window(TumblingEventTimeWindows.of(span("size"))), new OfTime(until))
      case "hops" =>
        summed(feed.keyed(0).window(SlidingEventTimeWindows.of(span("size"), span("step"))), new OfTime(until))
      case "gaps" => summed(feed.keyed(0).window(EventTimeSessionWindows.withGap(span("gap"))), new OfTime(until))
      case "counted" =>
        val (n, step) = (job.numbers("n"), job.numbers("step"))
        summed(if (n == step) feed.keyed(0).countWindow(n) else feed.keyed(0).countWindow(n, step), new OfCount(n))
      case "pairs" =>
        feed.keyed(0).intervalJoin(feed.keyed(1)).between(span("within").negated, span("within"))
          .process(new Pair, LONG_PRIMITIVE_ARRAY_TYPE_INFO)
    }
  }

  private def summed[W <: Window](
      windows: WindowedStream[Triple, java.lang.Long, W],
      row: WindowFunction[Triple, Array[Long], java.lang.Long, W]): DataStream[Array[Long]] =
    windows.aggregate[Triple, Triple, Array[Long]](new Sums, row, new TripleType, LONG_PRIMITIVE_ARRAY_TYPE_INFO)
}

/** Updates count, sum and maximum in place. */
final class Sums extends AggregateFunction[Triple, Triple, Triple] {
  def createAccumulator(): Triple                = new Triple(0, 0, Long.MinValue)
  def getResult(sums: Triple): Triple            = sums
  def add(event: Triple, sums: Triple): Triple   = more(sums, 1, event.c, event.c)
  def merge(sums: Triple, other: Triple): Triple = more(sums, other.a, other.b, other.c)

  private def more(sums: Triple, n: Long, total: Long, top: Long): Triple = {
    sums.a += n
    sums.b += total
    sums.c = math.max(sums.c, top)
    sums
  }
}

final class OfTime(until: Long) extends WindowFunction[Triple, Array[Long], java.lang.Long, TimeWindow] {
  def apply(
      key: java.lang.Long,
      window: TimeWindow,
      sums: java.lang.Iterable[Triple],
      out: Collector[Array[Long]]): Unit =
    if (window.getEnd <= until)
      sums.forEach(of => out.collect(Array(key, window.getStart, window.getEnd, of.a, of.b, of.c)))
}

/** Emits full windows only. Flink's first sliding count windows are not full. */
final class OfCount(n: Long) extends WindowFunction[Triple, Array[Long], java.lang.Long, GlobalWindow] {
  def apply(
      key: java.lang.Long,
      window: GlobalWindow,
      sums: java.lang.Iterable[Triple],
      out: Collector[Array[Long]]): Unit =
    sums.forEach(of => if (of.a == n) out.collect(Array(key, of.a, of.b, of.c)))
}

final class Pair extends ProcessJoinFunction[Triple, Triple, Array[Long]] {
  def processElement(
      left: Triple,
      right: Triple,
      context: ProcessJoinFunction[Triple, Triple, Array[Long]]#Context,
      out: Collector[Array[Long]]): Unit = out.collect(Array(left.b, left.a, right.a, left.c, right.c))
}
