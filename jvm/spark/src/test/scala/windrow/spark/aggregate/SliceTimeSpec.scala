package windrow.spark.aggregate

import java.time.ZoneId
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.LongType
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.time.EventTime

/** Tests that rows are combined by the slices of the core. */
final class SliceTimeSpec extends AnyFunSuite {
  private val windows = Seq[AlignedWindows](
    Tumbling("20 seconds"),
    Tumbling("20 seconds", startTime = "7 seconds"),
    Hopping("30 seconds", step = "10 seconds", startTime = "3 seconds"),
    Hopping("25 seconds", step = "9 seconds"),
    Hopping("5 seconds", step = "9 seconds"))

  private def slice(draft: WindowOperatorDraft, seconds: Long): Option[Any] = at(draft, Literal(seconds * 1000000))

  private def at(draft: WindowOperatorDraft, time: Literal): Option[Any] =
    SliceTime.of(draft.checked, time).map(_.eval())

  for (kind <- windows) test(s"slices of $kind") {
    val grid = kind.grid
    (-90L to 90L).foreach(seconds =>
      assert(slice(WindowOperatorDraft(kind, Some(TimeSpan.Zero)), seconds) ==
        Some(grid.sliceStart(seconds * 1000000))))
  }

  test("the first slices begin with the first valid time (SEMANTICS T1)") {
    val first = 1 - EventTime.Limit
    val days  = Calendar(1, CalendarUnit.Day, ZoneId.of("Europe/Berlin"))
    for (kind <- windows :+ days :+ Sliding("1 minute") :+ Session("5 seconds")) {
      val draft = WindowOperatorDraft(kind, Some(TimeSpan.Zero))
      assert(at(draft, Literal(first)) == Some(first), kind)
      assert(at(draft, Literal.create(null, LongType)) == Some(null), kind)
    }
  }

  test("rows of one group are at most the gap of a session apart (SEMANTICS R20)") {
    val draft  = WindowOperatorDraft(Session("5 seconds"), Some(TimeSpan.Zero))
    val shared = (-90L to 90L).groupBy(slice(draft, _)).values
    assert(shared.forall(times => times.max - times.min <= 5) && shared.map(_.size).max == 5)
    assert(slice(draft.copy(window = Session(None)), 5).isEmpty)
  }

  test("all messages of a global window share one, unless retention goes by each time (SEMANTICS R10)") {
    val draft = WindowOperatorDraft(Global, early = EachBatch, accumulation = Some(Accumulating))
    assert(slice(draft, 5) == slice(draft, 7) && slice(draft, 5).isDefined)
    assert(slice(draft.copy(retention = Retention(time = Some("1 hour"))), 5).isEmpty)
  }
}
