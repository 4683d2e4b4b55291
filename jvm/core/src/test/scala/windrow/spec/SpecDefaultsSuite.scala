package windrow

import java.time.ZoneId
import org.scalatest.funsuite.AnyFunSuite

/** Tests defaults and required fields, as tables (SEMANTICS E3, E7, R8, R10, R16, R17). */
class SpecDefaultsSuite extends AnyFunSuite {
  import SpecDefaultsSuite._

  private val zero = Some(TimeSpan.Zero)
  private val kept = Retention(time = Some(TimeSpan(100)))

  private val aggregator = WindowOperatorDraft(Tumbling(TimeSpan(10)), zero).checked
  private val fullState  = FullStateDraft(Tumbling(TimeSpan(10)), zero, retention = kept).checked
  private val join =
    JoinDraft(
      Seq(JoinStream("o"), JoinStream("s")),
      hasKeys = true,
      Within.Everything,
      lateness = zero,
      retention = kept)
      .checked

  private val defaults = Seq[(String, Any, Any, Any)](
    ("early", aggregator.early, fullState.early, Never    -> EachMessage),
    ("late", aggregator.late, fullState.late, EachBatch   -> EachMessage),
    ("on time", aggregator.onTime, fullState.onTime, true -> true))

  for ((field, ofAggregator, ofFullState, expected) <- defaults)
    test(s"default of $field: aggregator and full state $expected") {
      assert((ofAggregator, ofFullState) == expected)
    }

  test("defaults of an aggregator: by the watermark, no gaps filled, equal panes too, only size + lateness kept") {
    assert(aggregator.closeOn == CloseOn.Watermark)
    assert(!aggregator.fillsGaps && !aggregator.skipUnchanged)
    assert(aggregator.retention == Retention.NotStated && aggregator.maxFuture.isEmpty)
  }

  test("defaults of a join: inner, rows with each message, large ranges") {
    assert((
      join.how,
      join.early,
      join.expect) == ((JoinKind.Inner, EachMessage, windrow.ExpectedSize.Large)))
  }

  test("an own window of each side is the default of a join's bounds") {
    val draft = JoinDraft(Seq(JoinStream("o"), JoinStream("s")), hasKeys = true)
    assert(draft.within == Within.OwnWindows)
  }

  // ---- requirements of each kind of window

  private val kinds = Seq[(WindowKind, Demands)](
    Tumbling(TimeSpan(10))            -> Demands(true, true, Some(10), hasEnd = true, fills = true),
    Hopping(TimeSpan(9), TimeSpan(4)) -> Demands(true, true, Some(9), hasEnd = true, fills = true),
    Calendar(
      1,
      CalendarUnit.Month,
      ZoneId.of("Europe/Berlin"))      -> Demands(true, true, None, hasEnd = true, fills = true),
    Sliding(TimeSpan(10), TimeSpan(1)) -> Demands(true, true, Some(10), hasEnd = true),
    Over.Range(TimeSpan(10))           -> Demands(true, true, Some(10), hasEnd = true, discards = false),
    Over.Rows(3)                       -> Demands(true, true, None, hasEnd = true, discards = false),
    Over.Everything                    -> Demands(true, true, None, hasEnd = true, discards = false),
    Count(3, 2)                        -> Demands(false, false, None, hasEnd = true),
    OffsetRange(3, 2)                  -> Demands(false, true, None, hasEnd = true),
    Session(TimeSpan(5))               -> Demands(true, true, None, hasEnd = false),
    Session.OfMessage                  -> Demands(true, true, None, hasEnd = false),
    OffsetSession(2)                   -> Demands(false, false, None, hasEnd = false),
    Global                             -> Demands(false, false, None, hasEnd = false, early = true))

  private def codes(draft: WindowOperatorDraft): Set[String] = draft.check.fold(_.map(_.code).toSet, _ => Set.empty)

  /** Tests a draft that sets everything except one field. */
  for ((kind, demands) <- kinds) {
    val early = if (demands.early) EachMessage else Never
    val full  = WindowOperatorDraft(kind, zero, early = early, accumulation = Some(Accumulating))

    test(s"$kind: complete as it stands") {
      assert(codes(full) == Set.empty)
    }

    test(s"$kind: lateness must${if (demands.lateness) "" else " not"} be stated (R8)") {
      assert(codes(full.copy(lateness = None)).contains("LATENESS_NOT_STATED") == demands.lateness)
      assert(codes(full.copy(lateness = Some(TimeSpan(-1)))) == Set("LATENESS_NEGATIVE"))
    }

    test(s"$kind: accumulation must be stated where a window can fire twice (R17)") {
      def unstated(draft: WindowOperatorDraft) =
        codes(draft.copy(accumulation = None)).contains("ACCUMULATION_NOT_STATED")
      assert(unstated(full) == demands.early)
      assert(unstated(full.copy(early = EachMessage)))
      assert(!unstated(full.copy(early = AnyOf(Nil))) || demands.early)
      assert(unstated(full.copy(early = Never, lateness = Some(TimeSpan(1)))) == demands.canBeLate)
    }

    test(s"$kind: discarding ${if (demands.discards) "or not" else "is refused"} (R43)") {
      assert(codes(full.copy(accumulation = Some(Discarding))).contains("OVER_DISCARDING") == !demands.discards)
      assert(codes(full.copy(accumulation = Some(AccumulatingAndRetracting))) == Set.empty)
    }

    test(s"$kind: retention covers size and lateness, and one without end has a limit (R8, R10)") {
      def isShort(time: Long) = codes(full.copy(
        lateness = Some(TimeSpan(3)),
        retention = Retention(time = Some(TimeSpan(time))))).contains("RETENTION_TOO_SHORT")
      demands.size.foreach { size =>
        assert(isShort(size + 2))
        assert(!isShort(size + 3))
      }
      assert(demands.size.isDefined || !isShort(1))
      def unlimited(retention: Retention) =
        codes(full.copy(lateness = Some(TimeSpan.Endless), retention = retention)).contains("RETENTION_NOT_STATED")
      assert(unlimited(Retention.NotStated) == demands.canBeLate)
      assert(unlimited(kept) == demands.canBeLate)
      assert(!unlimited(Retention(windows = Some(1))) && !unlimited(Retention(messages = Some(1))))
    }

    test(s"$kind: completed by a first message beyond only with a fixed end (R7)") {
      val found = codes(full.copy(closeOn = CloseOn.NextRow))
      assert(found == (if (demands.hasEnd) Set.empty else Set("CLOSEON_WITHOUT_END")))
    }

    test(s"$kind: gaps are filled only between windows that stand in a row (R3)") {
      assert(codes(full.copy(fillGaps = TimeSpan.Endless)).contains("FILL_GAPS_NOT_ALIGNED") == !demands.fills)
    }

    test(s"$kind: only updated panes are for values that are whole (R16)") {
      def found(mode: AccumulationMode) = codes(full.copy(skipUnchanged = true, accumulation = Some(mode)))
      assert(found(Accumulating) == Set.empty)
      assert(found(Discarding).contains("SKIPUNCHANGED_DISCARDING"))
    }
  }

  test("a window of everything needs an early trigger") {
    assert(codes(WindowOperatorDraft(Global)) == Set("TRIGGER_NOT_STATED"))
  }

  test("full state supports all windows except those of panes, and needs a retention (R8)") {
    (kinds.map(_._1) :+ Inherit()).foreach { kind =>
      val draft = FullStateDraft(kind, zero, early = EachMessage, retention = Retention(messages = Some(5)))
      val found = draft.check.left.getOrElse(Nil).map(_.code)
      assert(found == (if (kind == Inherit()) Seq("INHERIT_WITHOUT_PANES") else Nil), kind)
      assert(draft.copy(retention = Retention.NotStated).check.left.exists(_.exists(_.code == "RETENTION_NOT_STATED")))
    }
  }
}

private object SpecDefaultsSuite {

  /** @param lateness
    *   whether the lateness must be set
    * @param canBeLate
    *   whether a lateness above 0 fires a window again
    * @param size
    *   the size of windows, which the retention must cover if it is set
    * @param hasEnd
    *   whether a first message beyond the end can complete a window
    */
  final case class Demands(
      lateness: Boolean,
      canBeLate: Boolean,
      size: Option[Long],
      hasEnd: Boolean,
      discards: Boolean = true,
      fills: Boolean = false,
      early: Boolean = false)
}
