package windrow.spark.aggregate

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.operator.ShardFingerprint
import windrow.core.state.{FingerprintField, SpecFingerprint}
import windrow.spark.functions.FunctionSet
import windrow.spark.output.OutputSchema
import windrow.spark.pack.WholeMessages

final class WindowProgramSpec extends AnyFunSuite {

  private def program(
      behind: Option[TimeSpan] = None,
      early: PaneTrigger = Never,
      mode: AccumulationMode = Accumulating): WindowProgram = {
    val draft = WindowOperatorDraft(Tumbling("1 minute"), Some(TimeSpan.Zero), early, accumulation = Some(mode))
    new WindowProgram(
      draft.checked,
      new SpecFingerprint(ShardFingerprint.of(draft.checked)),
      new WholeMessages(None, new FunctionSet(Nil, Nil), shards = 1, behind),
      new OutputSchema(Nil, Nil, new StructType, Some(draft.window)),
      None,
      Nil,
      results = Some(FingerprintField("results", "total: sum(x) BIGINT")))
  }

  private def hasPeriods(behind: Option[TimeSpan], early: PaneTrigger = Never): Boolean =
    program(behind, early).hasPeriods

  test("SEMANTICS S2: results cannot change if panes are retracted, also for the next operator") {
    def keepsResults(of: WindowProgram) = of.fingerprint.entries.exists(_.label == "results")
    assert(keepsResults(program(mode = AccumulatingAndRetracting)))
    val plain = program()
    assert(!keepsResults(plain))
    val retracting = plain.retracting.asInstanceOf[WindowProgram]
    assert(keepsResults(retracting) && keepsResults(retracting.retracting.asInstanceOf[WindowProgram]))
    assert(retracting.fingerprint.entries == program(mode = AccumulatingAndRetracting).fingerprint.entries)
  }

  test("SEMANTICS R69: a period, and a watermark by the clock, need steps without data") {
    assert(!hasPeriods(None) && hasPeriods(None, EveryPeriod("1 minute")))
    assert(hasPeriods(Some("5 seconds")))
  }
}
