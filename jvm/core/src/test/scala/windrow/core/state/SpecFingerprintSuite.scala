package windrow.core.state

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.operator.ShardFingerprint

/** Tests which spec may continue from the checkpoint of another one (SEMANTICS S2). */
final class SpecFingerprintSuite extends AnyFunSuite {
  private val begun = spec(keys = "product STRING", lateness = 10)

  private def spec(keys: String, lateness: Long, more: FingerprintField*): SpecFingerprint = new SpecFingerprint(Seq(
    FingerprintField("windows", "Tumbling('1 minute')"),
    FingerprintField("keys", keys),
    FingerprintField("lateness", s"$lateness minutes", least = Some(lateness))) ++ more)

  private def kept(of: SpecFingerprint): Seq[String] = {
    val out = new ByteWriter
    of.write(out)
    SpecFingerprint.read(ByteReader(out.result()))
  }

  private def refusal(of: SpecFingerprint, was: Seq[String] = kept(begun)): Option[String] =
    of.changed(was).map(_.getMessage)

  test("the same, and a longer lateness") {
    assert(refusal(begun).isEmpty)
    assert(refusal(spec("product STRING", 11)).isEmpty)
  }

  test("all differences are reported together, with the names of the query") {
    val told = refusal(spec("country STRING", 9)).get
    assert(told.startsWith(
      "[SPEC_CHANGED] The query does not fit its checkpoint, which was last run with keys `product STRING`, but the " +
        "query has `country STRING`, and with lateness `10 minutes`, but the query has `9 minutes`. "))
  }

  test("fields that only the query has are accepted; fields that only the checkpoint has are reported") {
    val later = spec("product STRING", 10, FingerprintField("session time zone", "UTC"))
    assert(refusal(later).isEmpty)
    assert(refusal(begun, kept(later)).get.contains("with session time zone `UTC`, but the query has `none`."))
    val out = new ByteWriter
    later.check(ByteReader({ begun.write(out); out.result() }))
  }

  test("long texts are kept as their beginning and a digest, and differ at their end, too") {
    def wide(last: String) =
      spec((1 to 200).map(i => s"column$i INT").mkString("", ", ", s", $last"), 10)
    val was = kept(wide("last INT"))
    assert(was.map(_.length).max < 500)
    assert(refusal(wide("last INT"), was).isEmpty)
    assert(intercept[CheckpointError](
      wide("last STRING").changed(was).foreach(throw _)).getMessage.contains("column1 INT, "))
  }

  test("windows without messages keep their panes on time, which only the spec records") {
    def of(fillGaps: TimeSpan, onTime: Boolean) = new SpecFingerprint(ShardFingerprint.of(WindowOperatorDraft(
      Tumbling("1 minute"),
      Some(TimeSpan.Zero),
      early = EachBatch,
      onTime = onTime,
      accumulation = Some(Accumulating),
      fillGaps = fillGaps).checked))
    val begun = kept(of("1 day", onTime = true))
    assert(of("1 day", onTime = false).changed(begun).get.getMessage.contains(
      "panes on time `trigger(onTime=true)`, but the query has `trigger(onTime=false)`"))
    assert(of("2 days", onTime = true).changed(begun).isEmpty)
    assert(of(TimeSpan.Zero, onTime = false).changed(kept(of(TimeSpan.Zero, onTime = true))).isEmpty)
  }

  test("a lateness in offsets is shown in offsets") {
    def of(offsets: Long) = new SpecFingerprint(Seq(ShardFingerprint.lateness(OffsetRange(10), TimeSpan(offsets))))
    val begun             = kept(of(1000))
    assert(of(1000).changed(begun).isEmpty)
    assert(of(5).changed(begun).get.getMessage.contains("lateness `1000 offsets`, but the query has `5 offsets`"))
  }
}
