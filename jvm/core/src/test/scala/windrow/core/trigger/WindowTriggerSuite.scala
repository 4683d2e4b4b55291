package windrow.core.trigger

import org.scalatest.funsuite.AnyFunSuite
import windrow._

/** SEMANTICS R14-R16 as tables. */
class WindowTriggerSuite extends AnyFunSuite {
  private val ten  = EveryPeriod(TimeSpan(10))
  private val both = AnyOf(Seq(Every(3), AnyOf(Seq(ten))))

  private def early(trigger: PaneTrigger) = new WindowTrigger(trigger, Never)

  test("after a message") {
    val fires = Seq(
      Never       -> Seq(false, false, false),
      EachMessage -> Seq(true, true, true),
      EachBatch   -> Seq(false, false, false),
      Every(2)    -> Seq(false, true, true),
      ten         -> Seq(false, false, false),
      both        -> Seq(false, false, true))
    for ((trigger, expected) <- fires)
      assert((1L to 3L).map(early(trigger).afterMessage(isComplete = false, _)) === expected, trigger)
  }

  test("at the end of a step: only with something unsent; a period by multiples since the epoch") {
    val fires = Seq[(PaneTrigger, Long, Option[Long], Option[Long], Boolean)](
      (EachBatch, 1, None, None, true),
      (EachBatch, 0, None, None, false),
      (Every(1), 1, Some(0), Some(100), false),
      (ten, 1, Some(12), Some(19), false),
      (ten, 1, Some(12), Some(20), true),
      (ten, 1, Some(20), Some(29), false),
      (ten, 1, Some(-3), Some(0), true),
      (ten, 0, Some(12), Some(20), false),
      (ten, 1, None, Some(20), false),
      (ten, 1, Some(12), None, false),
      (both, 1, Some(12), Some(20), true),
      (Never, 1, Some(12), Some(20), false))
    for ((trigger, unsent, since, now, expected) <- fires)
      assert(
        early(trigger).atStepEnd(isComplete = false, unsent, since, now, isChanged = true) === expected,
        (trigger, unsent, since, now))
  }

  test("early policies rule incomplete windows, late ones complete windows") {
    val policy = new WindowTrigger(EachMessage, Every(2))
    assert(policy.afterMessage(isComplete = false, 1))
    assert(!policy.afterMessage(isComplete = true, 1))
  }

  test("deadlines") {
    assert(early(both).deadline(isComplete = false, Some(12)) === Some(20))
    assert(early(both).deadline(isComplete = true, Some(12)) === None)
    assert(early(EachBatch).deadline(isComplete = false, Some(12)) === None)
  }

  test("of several periods the first to end is waited for") {
    val seven  = EveryPeriod(TimeSpan(7))
    val policy = early(AnyOf(Seq(ten, Every(3), seven)))
    assert(policy.deadline(isComplete = false, Some(12)).contains(14L))
    assert(policy.deadline(isComplete = false, Some(17)).contains(20L))
    assert(policy.deadline(isComplete = false, None).isEmpty)
    assert(policy.deadline(isComplete = true, Some(12)).isEmpty)
  }
}
