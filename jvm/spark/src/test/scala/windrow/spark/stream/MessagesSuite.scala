package windrow.spark.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, Project, TransformWithState}
import org.apache.spark.sql.functions.{count, lit}
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.spark.query.StateDescriptor
import windrow.spark.shards.WindowProcessor
import windrow.spark.{SparkSuite, Windrow}

/** Tests the values that Windrow needs of each row of a stream. */
final class MessagesSuite extends SparkSuite {
  private lazy val input =
    spark.readStream.schema("id string, time timestamp, value bigint").json(SparkSuite.folder())

  test("SEMANTICS R73: a row too far ahead, or without a time, does not move the watermark") {
    val now    = 1700000000000000L
    val stream = Windrow.stream(input, time = "time", watermark = Some("1 minute"), maxFuture = Some("1 hour"))
    val panes  = stream.lateness("0 seconds").window(Tumbling("1 minute")).aggregate(count(lit(1))).panes
    val (mark, below) = SparkInside.plan(panes).collectFirst {
      case EventTimeWatermark(_, _, _, Project(columns, child)) => (columns.last.asInstanceOf[Alias].child, child)
    }.get
    val moves = BindReferences.bindReference(
      mark.transform { case _: CurrentTimestamp => Literal(now, TimestampType) },
      below.output)
    def moved(time: Any) =
      Option(moves.eval(InternalRow.fromSeq(below.output.map(one => if (one.name == "time") time else null))))
    assert(moved(now) == Some(now) && moved(now + 3600000000L).isDefined)
    assert(moved(now + 3600000001L).isEmpty && moved(null).isEmpty)
  }

  test("SEMANTICS T1: a limit of time needs event time, in windows that do not") {
    def codes(retention: Option[TimeSpan], maxFuture: Option[TimeSpan]): Seq[String] = {
      val global = Windrow.stream(input, maxFuture = maxFuture).lateness("0 seconds").retain(time = retention)
        .window(Global).trigger(early = EachBatch).accumulationMode(Accumulating)
      try {
        global.aggregate(count(lit(1)))
        Nil
      } catch { case wrong: SpecError => wrong.problems.map(_.code) }
    }
    assert(codes(None, None).isEmpty)
    for ((retention, maxFuture) <- Seq((Some(TimeSpan(1000000)), None), (None, Some(TimeSpan(1000000)))))
      assert(codes(retention, maxFuture).contains("TIME_NOT_STATED"))
  }

  test("SEMANTICS S1: join keys are named as the session compares names") {
    val panes = Windrow.stream(input, time = "time", key = Seq("id"), watermark = Some("1 minute"))
      .lateness("0 seconds").retain(time = Some("1 hour")).index(by = Seq("VALUE")).window(Tumbling("1 minute"))
      .keepRows().panes
    val held = SparkInside.plan(panes).collect { case shards: TransformWithState => shards.statefulProcessor: Any }
      .collect { case shards: WindowProcessor => shards.program.descriptor }.flatten
      .collect { case one: StateDescriptor => one.holds }
    assert(held.collect { case messages: StateDescriptor.Messages => messages.indexed } == Seq(Seq("value")))
  }
}
