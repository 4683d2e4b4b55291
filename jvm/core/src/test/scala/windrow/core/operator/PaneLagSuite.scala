package windrow.core.operator

import java.time.ZoneId
import org.scalatest.funsuite.AnyFunSuite
import windrow._

/** SEMANTICS R95: the lag of the times of panes behind the watermark. All values were worked out by hand. */
final class PaneLagSuite extends AnyFunSuite {
  private val draft = WindowOperatorDraft(
    Tumbling(TimeSpan(10)),
    lateness = Some(TimeSpan(7)),
    accumulation = Some(Discarding))

  private def ofEnd(draft: WindowOperatorDraft) = PaneLag.ofEnd(draft.checked).value

  test("R95: the end of a window that fires on time does not lag") {
    assert(ofEnd(draft) == 0)
    assert(ofEnd(draft.copy(window = Session(TimeSpan(10)))) == 0)
  }

  test("R95: a late row can complete a session that waits for its gap, at most the gap and the lateness back") {
    val cuts = draft.copy(accumulation = Some(Accumulating))
    assert(ofEnd(cuts.copy(window = Session(TimeSpan(10), endsWith = Some("ends")))) == 17)
    assert(PaneLag.ofEnd(cuts.copy(window = Session.OfMessage.copy(split = Seq("a"))).checked).isEndless)
    val longest = Session(TimeSpan(10), maxLength = Some(TimeSpan(50)))
    assert(PaneLag.inside(longest, PaneLag.ofEnd(cuts.copy(window = longest).checked)).value == 67)
  }

  test("R95: one that waits for the end of its lateness lags by it") {
    assert(ofEnd(draft.copy(onTime = false)) == 7)
    assert(ofEnd(draft.copy(closeOn = CloseOn.NextRow)) == 7)
  }

  test("R95: positions and the window of everything are bounded by nothing") {
    val timeless = draft.copy(lateness = None)
    assert(PaneLag.ofEnd(timeless.copy(window = Count(3)).checked).isEndless)
    assert(PaneLag.ofEnd(timeless.copy(window = Global, early = EachBatch).checked).isEndless)
  }

  test("R95: another time of a pane lags by the longest window more") {
    val end = PaneLag.ofEnd(draft.copy(onTime = false).checked)
    assert(PaneLag.inside(Hopping(TimeSpan(20), TimeSpan(5)), end).value == 27)
    assert(PaneLag.inside(Session(TimeSpan(10)), end).isEndless)
    val day  = 86400000000L
    val hour = 3600000000L
    assert(PaneLag.inside(Calendar(1, CalendarUnit.Month, ZoneId.of("UTC")), end).value == 31 * day + 7)
    val berlin = PaneLag.inside(Calendar(1, CalendarUnit.Day, ZoneId.of("Europe/Berlin")), end).value
    assert(berlin >= day + hour + 7 && berlin <= day + 2 * hour + 7)
  }
}
