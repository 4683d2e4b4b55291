package windrow.spark.running

import org.apache.spark.sql.streaming.TimeMode
import org.scalatest.funsuite.AnyFunSuite
import windrow.CheckpointError
import windrow.core.state.{ByteWriter, ShardStore, SpecFingerprint}
import windrow.spark.query.CheckpointedOperator
import windrow.spark.shards.{ProgramOfTest, ShardProgram}

/** Tests which operator of a query is compared with which of a checkpoint (SEMANTICS S2). */
final class ResumeCheckSpec extends AnyFunSuite {
  private val mode = TimeMode.EventTime()

  private def fingerprint(windows: String) = SpecFingerprint("windows" -> windows)

  private def header(windows: String): Array[Byte] = {
    val out = new ByteWriter
    fingerprint(windows).write(out)
    out.sealedResult()
  }

  private def check(planned: String*)(stored: Option[String]*): Unit = ResumeCheck.refuse(
    planned.map(windows => mode -> (new OfWindows(fingerprint(windows)): ShardProgram)),
    stored.map(windows => new CheckpointedOperator(mode.toString, windows.map(header), windows.toSeq)))

  private def refused(planned: String*)(stored: String*): String =
    intercept[CheckpointError](check(planned: _*)(stored.map(Option(_)): _*)).getMessage

  test("operators are compared in their order, and the error names the one that differs") {
    check("a", "b")(Some("a"), Some("b"))
    check("a", "b")(Some("a"), None) // it has not received rows yet
    assert(refused("a", "c")("a", "b").contains("windows `b`, but the query has `c`."))
    assert(refused("b", "a")("a", "b").contains("windows `a`, but the query has `b`."))
  }

  test("operators that replaced those of Spark are left out if the plan does not have them yet") {
    check("a", "b")(Some("a"), Some("accelerated_0"), Some("b"))
    check("a")(Some("accelerated_0_left"), Some("a"))
    assert(refused(
      "a",
      "b")("a", "accelerated_0", "accelerated_1").contains("state of 1 of Windrow's operators, but the query has 2."))
  }

  test("an operator that was added or removed is reported with both numbers") {
    assert(refused("a", "b", "a")("a", "b").startsWith(
      "[SPEC_CHANGED] The checkpoint contains the state of 2 of Windrow's operators, but the query has 3."))
    assert(refused("a")("a", "a").contains("state of 2 of Windrow's operators, but the query has 1."))
  }
}

private final class OfWindows(override val fingerprint: SpecFingerprint) extends ProgramOfTest {
  protected def run(store: ShardStore, packets: Int, processingTime: Long): Unit = ()
}
