package windrow.spark.aggregate

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.SpecFingerprint
import windrow.spark.functions.FunctionSet
import windrow.spark.output.OutputSchema
import windrow.spark.pack.WholeMessages

final class WindowProgramSpec extends AnyFunSuite {

  private def hasPeriods(behind: Option[TimeSpan], early: PaneTrigger = Never): Boolean = {
    val draft =
      WindowOperatorDraft(Tumbling("1 minute"), Some(TimeSpan.Zero), early, accumulation = Some(Accumulating))
    new WindowProgram(
      draft.checked,
      SpecFingerprint.Nothing,
      new WholeMessages(None, new FunctionSet(Nil, Nil), shards = 1, behind),
      new OutputSchema(Nil, Nil, new StructType, Some(draft.window)),
      None,
      Nil).hasPeriods
  }

  test("SEMANTICS R69: a period, and a watermark by the clock, need steps without data") {
    assert(!hasPeriods(None) && hasPeriods(None, EveryPeriod("1 minute")))
    assert(hasPeriods(Some("5 seconds")))
  }
}
