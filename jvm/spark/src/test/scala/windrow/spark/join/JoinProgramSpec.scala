package windrow.spark.join

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.SpecFingerprint

final class JoinProgramSpec extends AnyFunSuite {

  test("SEMANTICS R14, R69: rows that wait for a period come without data") {
    def hasPeriods(early: PaneTrigger) = {
      val draft = JoinDraft(
        Seq(JoinStream("a"), JoinStream("b")),
        hasKeys = true,
        within = Within.Ranges(Map("b" -> JoinRange("0 minutes", "5 minutes"))),
        lateness = Some(TimeSpan.Zero),
        early = early)
      new JoinProgram(
        draft.checked,
        SpecFingerprint.Nothing,
        1,
        new JoinSchema(Nil, IndexedSeq.empty, None),
        None).hasPeriods
    }
    assert(hasPeriods(EveryPeriod("1 minute")) && !hasPeriods(EachMessage) && !hasPeriods(EachBatch))
  }
}
