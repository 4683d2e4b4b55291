package windrow.spark.input

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LocalRelation, Project, Union}
import org.apache.spark.sql.types.{LongType, StringType, TimestampType}
import windrow.TimeSpan
import windrow.spark.SparkSuite
import windrow.spark.cogroup.CoGroupPlan
import windrow.spark.watermark.EventWatermark

/** Tests one of several streams, and all of them together. */
final class StreamTableSuite extends SparkSuite {

  private def stream(
      name: String,
      isTimed: Boolean = true,
      watermark: Option[TimeSpan] = Some("1 minute"),
      isStreaming: Boolean = true,
      sender: Seq[Expression] = Nil): StreamTable = {
    val columns = Seq(AttributeReference("time", TimestampType)(), AttributeReference("value", LongType)())
    StreamTable(
      name,
      LocalRelation(columns, isStreaming = isStreaming),
      columns,
      if (isTimed) columns.head else StreamTable.Timeless,
      Nil,
      sender,
      watermark.map(EventWatermark(_)))
  }

  private def codes(streams: StreamTable*) = CoGroupPlan.problems(streams).map(_.code)

  test("SEMANTICS R56: all streams have event time or none has") {
    assert(codes(stream("a"), stream("b")).isEmpty)
    assert(codes(stream("a", isTimed = false, None), stream("b", isTimed = false, None)).isEmpty)
    assert(codes(stream("a"), stream("b", isTimed = false, None)) == Seq("TIME_NOT_STATED"))
    assert(codes(stream("a", isTimed = false, None), stream("b", isTimed = false)) == Seq("TIME_NOT_STATED"))
  }

  test("SEMANTICS R42, R56: the name of its stream is the source of a message") {
    val streams = Seq("a", "b").map(stream(_, isStreaming = false, sender = Seq(Literal(3L), Literal(7L))))
    val Union(branches, _, _) = CoGroupPlan.union(spark, streams, Nil): @unchecked
    val sources = branches.collect { case Project(columns, _) =>
      columns.collect { case Alias(Literal(value, StringType), name) if name.endsWith("source") => value.toString }
    }
    assert(sources == Seq(Seq("a"), Seq("b")))
  }

  test("a query over streams has no batch among them") {
    assert(StreamTable.mixed(Seq(
      stream("a"),
      stream("b", isStreaming = false))).map(_.code) == Seq("STREAM_WITH_BATCH"))
    assert(StreamTable.mixed(Seq(stream("a", isStreaming = false), stream("b", isStreaming = false))).isEmpty)
  }

  test("SEMANTICS R73: the guard is before the watermark, and a row without a time does not move it") {
    val now = 1700000000000000L
    val EventTimeWatermark(_, _, _, Project(columns, below)) =
      stream("a").watermarked(Some("1 hour")): @unchecked
    val mark = BindReferences.bindReference(
      columns.last.asInstanceOf[Alias].child.transform { case _: CurrentTimestamp => Literal(now, TimestampType) },
      below.output)
    def moved(time: Any) = Option(mark.eval(InternalRow(time, 0L)))
    assert(moved(now) == Some(now) && moved(now + 3600000000L).isDefined)
    assert(moved(now + 3600000001L).isEmpty && moved(null).isEmpty && moved(Long.MaxValue).isEmpty)
  }
}
