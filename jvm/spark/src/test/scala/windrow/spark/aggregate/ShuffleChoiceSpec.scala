package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, ApproximatePercentile}
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal}
import org.apache.spark.sql.types.LongType
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.spark.functions.FunctionSet
import windrow.spark.version.Arithmetic

/** Tests that rows are sorted only if their order affects the output (SEMANTICS T3). */
final class ShuffleChoiceSpec extends AnyFunSuite {
  private val value  = BoundReference(0, LongType, nullable = true)
  private val median = new ApproximatePercentile(value, Literal(0.5))
  private val minutes =
    WindowOperatorDraft(Tumbling("1 minute"), Some(TimeSpan.Zero), accumulation = Some(Accumulating))
  private val late = minutes.copy(lateness = Some("5 minutes"))

  private def choice(
      draft: WindowOperatorDraft,
      function: AggregateFunction = Arithmetic.sum(value),
      hasOrigin: Boolean = false,
      streaming: Boolean = true) =
    ShuffleChoice(draft.checked, new FunctionSet(Seq(function), Seq(None)), hasOrigin, streaming)

  private def isSorted(draft: WindowOperatorDraft) = choice(draft).sorted

  test("panes of a step, and panes on time, show none") {
    assert(!isSorted(minutes) && !isSorted(late) && !isSorted(late.copy(early = EachBatch)))
  }

  test("panes that come with messages do, in a stream") {
    assert(isSorted(minutes.copy(early = EachMessage)) && isSorted(minutes.copy(early = Every(3))))
    assert(!choice(minutes.copy(early = EachMessage), streaming = false).sorted)
    assert(isSorted(late.copy(late = EachMessage)) && !isSorted(minutes.copy(late = EachMessage)))
  }

  test("SEMANTICS R79: a late window fires with its first message, unless it waits for the end of the step") {
    assert(isSorted(late.copy(late = Never)) && !isSorted(late.copy(late = AnyOf(Seq(EachBatch, Never)))))
  }

  test("SEMANTICS R13, R21, R3, R7: offsets, positions, gaps and messages beyond do") {
    assert(choice(minutes, hasOrigin = true).sorted)
    assert(isSorted(minutes.copy(fillGaps = TimeSpan.Endless)))
    assert(isSorted(minutes.copy(closeOn = CloseOn.NextRow)))
    assert(isSorted(WindowOperatorDraft(Count(3))))
  }

  test("functions that go by order get it, without a sorted shuffle") {
    assert(choice(minutes, median).ordered && !choice(minutes, median).sorted)
    assert(!choice(minutes).ordered)
  }
}
