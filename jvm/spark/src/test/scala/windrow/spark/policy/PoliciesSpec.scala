package windrow.spark.policy

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.SpecFingerprint
import windrow.spark.functions.FunctionSet
import windrow.spark.output.OutputSchema
import windrow.spark.pack.WholeMessages

final class PoliciesSpec extends AnyFunSuite {
  private def spec(eviction: Eviction, limits: KeyLimits = KeyLimits.NotStated) =
    PolicyWindowSpec.checked(eviction, limits)

  test("SEMANTICS P1: messages say their order, by offsets or by time") {
    val policy                                       = Policies(spec(Eviction.Tumbling(ByCount(3))))
    def wrong(hasOffsets: Boolean, hasTime: Boolean) = policy.withoutOrder(hasOffsets, hasTime).map(_.code)
    assert(wrong(hasOffsets = false, hasTime = false) == Some("ORDER_NOT_STATED"))
    assert(wrong(hasOffsets = true, hasTime = false).isEmpty && wrong(hasOffsets = false, hasTime = true).isEmpty)
  }

  test("SEMANTICS R69, P7: a time of a policy, and an age of keys, need steps without data") {
    def hasPeriods(of: PolicyWindowSpec) = new PolicyProgram(
      of,
      SpecFingerprint.Nothing,
      Map.empty,
      new WholeMessages(None, new FunctionSet(Nil, Nil), shards = 1),
      new OutputSchema(Nil, Nil, new StructType, None),
      hasEvents = false).hasPeriods
    val counted = Eviction.Tumbling(ByCount(3))
    assert(!hasPeriods(spec(counted)) && !hasPeriods(spec(counted, KeyLimits(maxKeys = Some(5)))))
    assert(hasPeriods(spec(counted, KeyLimits(idle = Some("1 hour")))))
    assert(hasPeriods(spec(Eviction.Tumbling(ByTime("1 minute")))))
    assert(hasPeriods(spec(Eviction.Sliding(ByCount(3), ByTime("1 minute")))))
  }
}
