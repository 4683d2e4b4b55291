package windrow

import java.time.{Duration, ZoneId}
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.operator.{Effect, Entry}
import windrow.core.shard.Shard
import windrow.core.state.{InMemoryShardStore, Key}
import windrow.core.time.{EventTime, Watermark}
import windrow.operators.Sum

/** Checks that spans of 2^62 microseconds raise an error that names them, and that slightly shorter ones exceed no
  * limit of 64 bits (SEMANTICS T1).
  */
class SpanCheckSuite extends AnyFunSuite {
  private val long     = TimeSpan(EventTime.Limit)
  private val longest  = TimeSpan(EventTime.Limit - 1)
  private val one      = TimeSpan(1)
  private val tumbling = WindowOperatorDraft(Tumbling(one), lateness = Some(one), accumulation = Some(Accumulating))

  private def join(range: JoinRange) = JoinDraft(
    Seq(JoinStream("a"), JoinStream("b")),
    hasKeys = true,
    Within.Ranges(Map("b" -> range)),
    lateness = Some(one))

  private def refused(found: Either[Seq[SpecProblem], _]): Seq[String] =
    found.left.getOrElse(Nil).filter(_.code == "DURATION_TOO_LONG").map(_.text.takeWhile(_ != ' '))

  private def windows(window: WindowKind) = tumbling.copy(window = window).check

  private val cases: Seq[(String, TimeSpan => Either[Seq[SpecProblem], _])] = Seq(
    "size"        -> (span => windows(Tumbling(span))),
    "startTime"   -> (span => windows(Tumbling(one, span))),
    "size"        -> (span => windows(Hopping(span, one))),
    "step"        -> (span => windows(Hopping(one, span))),
    "gap"         -> (span => windows(Session(span))),
    "maxLength"   -> (span => windows(Session(one, maxLength = Some(span)))),
    "size"        -> (span => windows(Sliding(span, one))),
    "granularity" -> (span => windows(Sliding(TimeSpan.Zero, span))),
    "range"       -> (span => windows(Over.Range(span))),
    "lateness"    -> (span => tumbling.copy(lateness = Some(span)).check),
    "maxFuture"   -> (span => tumbling.copy(maxFuture = Some(span)).check),
    "time"        -> (span => tumbling.copy(retention = Retention(time = Some(span))).check),
    "period"      -> (span => tumbling.copy(early = AnyOf(Seq(EachBatch, EveryPeriod(span)))).check),
    "high"        -> (span => join(JoinRange(TimeSpan.Zero, span)).check),
    "low"         -> (span => join(JoinRange(TimeSpan(-span.micros), TimeSpan.Zero)).check),
    "time"        -> (span => join(JoinRange(one, one)).copy(retention = Retention(time = Some(span))).check),
    "time"        -> (span => FullStateDraft(Tumbling(one), Some(one), retention = Retention(time = Some(span))).check),
    "period"      -> (span => PolicyWindowSpec.check(Eviction.Sliding(ByCount(1), ByTime(span)))),
    "idle"        -> (span => PolicyWindowSpec.check(Eviction.Tumbling(ByCount(1)), KeyLimits(idle = Some(span)))))

  for (((name, made), i) <- cases.zipWithIndex) test(s"${i + 1}: $name") {
    assert(refused(made(long)) == Seq(name))
    assert(refused(made(longest)).isEmpty)
  }

  test("without end is a lateness and nothing else") {
    assert(refused(tumbling.copy(lateness = Some(TimeSpan.Endless)).check).isEmpty)
    assert(refused(windows(Tumbling(TimeSpan.Endless))) == Seq("size"))
  }

  test("texts, durations of Java and calendars") {
    assert(TimeSpan.parse("4611686018427387904 us").left.map(_.code) == Left("DURATION_TOO_LONG"))
    assert(TimeSpan.parse("4611686018427387903 us") == Right(longest))
    assert(intercept[SpecError](TimeSpan.fromDuration(Duration.ofSeconds(Long.MaxValue))).problems.map(_.code) ==
      Seq("DURATION_TOO_LONG"))
    val years = Seq(145000, 146000).map(Calendar(_, CalendarUnit.Year, ZoneId.of("UTC")))
    assert(years.map(kind => refused(windows(kind)).size) == Seq(0, 1))
  }

  private val edges = Seq(1 - EventTime.Limit, -1L, 0L, EventTime.Limit - 1)

  /** Returns the panes. Each message must be in a window, and none in a window to which it does not belong. */
  private def panes(window: WindowKind): Seq[(Long, Long, Long)] = {
    val spec    = WindowOperatorDraft(window, Some(longest), accumulation = Some(Accumulating)).checked
    val store   = new InMemoryShardStore
    val entries = edges.map(time => Entry(new Key(Array[Byte](1)), Some(time), 0, 1, 1L, Array[Byte](1), None, None))
    def step(some: Seq[Entry[Long]], to: Watermark) =
      new Shard(spec, Sum, store).step(some.iterator, to, None).toVector
    (step(entries, Watermark(0)) ++ step(Nil, Watermark(EventTime.Limit)) ++ step(Nil, Watermark.End)).map {
      case Effect.Fire(pane) => (pane.start, pane.end, pane.value)
      case other             => fail(other.toString)
    }
  }

  for (window <- Seq(Tumbling(longest), Tumbling(longest, longest), Hopping(longest, longest)))
    test(s"windows of $window hold the first and the last times") {
      val found = panes(window)
      assert(found.map(_._3).sum == edges.size, found)
      assert(found.forall { case (start, end, _) => start < end && edges.exists(at => start <= at && at < end) }, found)
    }
}
