package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.types.LongType
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.time.Watermark
import windrow.spark.functions.FunctionSet
import windrow.spark.pack.{Pack, WholeMessages}

/** Tests that every row that a shard rejects was sent with its original columns (SEMANTICS A2). Times are in seconds.
  */
final class RejectableRowsSpec extends AnyFunSuite {
  private val messages = new WholeMessages(None, new FunctionSet(Nil, Nil), shards = 1)

  private def carries(window: WindowKind, watermark: Option[Watermark], time: Option[Long], tooFar: Boolean = false) = {
    val micros = Literal.create(time.map(_ * 1000000).orNull, LongType)
    val pack = Pack(
      keys = Nil,
      time = micros,
      value = Seq(Literal(5000000L)),
      marks = Nil,
      sender = Nil,
      pane = Nil,
      inputs = Nil,
      message = Nil,
      tooFar = Seq(Literal(tooFar)),
      end = Nil,
      until = None,
      metrics = "",
      recipe = messages,
      output = Nil,
      child = LocalRelation())
    val spec = WindowOperatorDraft(window, Some("10 seconds"), accumulation = Some(Accumulating)).checked
    RejectableRows(spec, pack, watermark).eval()
  }

  /** Checks all times with a watermark of 45 s and a lateness of 10 s. */
  private def carriedBelow(window: WindowKind, first: Long): Unit = {
    val mark = Some(Watermark(45000000))
    (-20L until 60L).foreach(time => assert(carries(window, mark, Some(time)) == (time < first), s"$window at $time"))
  }

  test("rows that no window accepts anymore") {
    carriedBelow(Tumbling("10 seconds"), 30)
    carriedBelow(Hopping("10 seconds", step = "5 seconds"), 30)
    carriedBelow(Hopping("10 seconds", step = "5 seconds", startTime = "1 second"), 26)
    carriedBelow(Session("5 seconds"), 31)
    carriedBelow(Session("5 seconds", endsWith = Some("ends")), 35)
  }

  test("rows that no sliding window with floored times accepts anymore") {
    carriedBelow(Sliding("20 seconds", granularity = "10 seconds"), 25)
  }

  test("the watermark may be unknown, not there, or past everything (SEMANTICS R71)") {
    val some = Some(50L)
    assert(carries(Tumbling("10 seconds"), None, some) == true)
    assert(carries(Tumbling("10 seconds"), Some(Watermark.None), some) == false)
    assert(carries(Tumbling("10 seconds"), Some(Watermark.End), some) == true)
  }

  test("rows without a time, and rows too far ahead (SEMANTICS T1, R73)") {
    assert(carries(Tumbling("10 seconds"), Some(Watermark.None), None) == true)
    assert(carries(Tumbling("10 seconds"), Some(Watermark.None), Some(50), tooFar = true) == true)
  }
}
