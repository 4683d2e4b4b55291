package windrow.core.join

import org.scalatest.funsuite.AnyFunSuite
import windrow._

/** SEMANTICS R95: the lag of messages in the rows of a join behind its watermark. All values were worked out by hand.
  */
final class JoinLagSuite extends AnyFunSuite {
  private def lags(
      within: Within,
      how: JoinKind,
      lateness: Long = 0,
      kept: Retention = Retention.NotStated) = JoinLag.of(
    JoinDraft(
      Seq(JoinStream("l"), JoinStream("r")),
      hasKeys = true,
      within,
      how,
      Some(TimeSpan(lateness)),
      retention = kept).checked).map(lag => if (lag.isEndless) -1L else lag.value)

  private def range(low: Long, high: Long) = Within.Ranges(Map("r" -> JoinRange(TimeSpan(low), TimeSpan(high))))

  test("R95: a pair waits for the later of its messages") {
    assert(lags(range(-30, 20), JoinKind.Inner, lateness = 7) == Seq(20, 30))
    assert(lags(range(5, 20), JoinKind.Inner) == Seq(20, 0))
    assert(lags(range(-20, -5), JoinKind.Semi) == Seq(0, 20))
  }

  test("R95: unmatched rows wait for the lateness, too") {
    assert(lags(range(-30, 20), JoinKind.Left, lateness = 7) == Seq(27, 30))
    assert(lags(range(-30, 20), JoinKind.Full, lateness = 7) == Seq(27, 37))
    assert(lags(range(5, 20), JoinKind.Right, lateness = 7) == Seq(20, 2))
    assert(lags(range(5, 20), JoinKind.Right, lateness = 3) == Seq(20, 0))
    assert(lags(range(0, 20), JoinKind.Anti, lateness = 7) == Seq(27, 0))
  }

  test("R95: in common windows messages wait for the end of the window, hops for the one after it") {
    assert(lags(Within.SameWindow(Tumbling(TimeSpan(10))), JoinKind.Left, lateness = 7) == Seq(17, 10))
    assert(lags(Within.SameWindow(Hopping(TimeSpan(10), TimeSpan(5))), JoinKind.Left, lateness = 7) == Seq(27, 10))
  }

  test("R95: retention ends the wait where nothing else does; sessions never end it") {
    val kept = Retention(time = Some(TimeSpan(100)))
    assert(lags(Within.Everything, JoinKind.Left, lateness = 7, kept) == Seq(100, 100))
    assert(lags(Within.Everything, JoinKind.Left, kept = Retention(messages = Some(3))) == Seq(-1, -1))
    assert(lags(Within.SameWindow(Session(TimeSpan(10))), JoinKind.Inner) == Seq(-1, -1))
    assert(lags(range(-30, 20), JoinKind.Left, Long.MaxValue, Retention(messages = Some(3))) == Seq(-1, 30))
  }
}
