package windrow

import org.scalatest.funsuite.AnyFunSuite

/** Checks that the problems of a join are reported, whichever of its fields are missing. */
class JoinCheckSuite extends AnyFunSuite {

  test("ranges without streams") {
    val ranges = Within.Ranges(Map("s" -> JoinRange(TimeSpan(-9), TimeSpan(-6))))
    for (streams <- Seq(Nil, Seq(JoinStream("s")))) {
      val wrong = intercept[SpecError](
        JoinDraft(streams, hasKeys = true, ranges, JoinKind.Right, lateness = Some(TimeSpan(14))).checked)
      assert(wrong.problems.nonEmpty)
    }
  }
}
