package windrow.testkit.transcripts

import org.scalatest.funsuite.AnyFunSuite
import windrow.Timing
import windrow.replay._

/** Small cases whose outcome was worked out by hand, on the reference and on the core, in a short notation. `a@5=1
  * p0:7` is a message of key a at 5 s with value 1 and offset 7 of partition 0. `a@5=1 [0-10 LATE]` is a message that
  * is itself a pane. `a[0-10] ON_TIME 0 last: 1+2` is an emitted pane.
  */
class RulesByHandSuite extends AnyFunSuite {

  private case class Told(messages: String, watermark: Option[Long], panes: String)

  private def message(text: String): Message = text match {
    case s"$message [$start-$end $timing back]" => withPane(message, start, end, timing, isRetraction = true)
    case s"$message [$start-$end $timing]"      => withPane(message, start, end, timing, isRetraction = false)
    case s"$key@$time=$value p$partition:$offset" =>
      message(s"$key@$time=$value").copy(partition = Some(partition.toInt), offset = Some(offset.toLong))
    case s"$key@$time=$value" => Message(Scalar(key), Some(time.toLong * 1000000), Scalar(value.toLong))
    case other                => fail(other)
  }

  private def withPane(text: String, start: String, end: String, timing: String, isRetraction: Boolean): Message =
    message(text).copy(pane = Some(UpstreamPane(
      start.toLong * 1000000,
      end.toLong * 1000000,
      Timing.All.find(_.toString == timing).get,
      isRetraction)))

  private def step(messages: String, watermark: Long = Long.MinValue)(panes: String): Told =
    Told(messages, Option.when(watermark != Long.MinValue)(watermark), panes)

  private def parts(text: String): Seq[String] = text.split(",").map(_.trim).filter(_.nonEmpty).toSeq

  private def shown(pane: Emission.ContentPane, unit: Long): String = {
    val values = pane.value match {
      case Content.Values(values, _) => values("all") match {
          case Value.Items(Vector()) => "-"
          case Value.Items(all) =>
            all.map { case Value.Whole(n) => n.toString; case other => other.toString }.mkString("+")
          case other => other.toString
        }
      case other => fail(other.toString)
    }
    val key   = pane.key match { case Value.Text(text) => text; case other => other.toString }
    val flags = (if (pane.isRetraction) " back" else "") + (if (pane.isLast) " last" else "")
    s"$key[${pane.start / unit}-${pane.end / unit}] ${pane.timing} ${pane.index}$flags: $values"
  }

  private def check(name: String, spec: String, unit: Long = 1000000L)(told: Told*): Unit =
    for (engine <- Seq(ReferenceEngine, new CoreEngine)) test(s"$name, ${engine.name}") {
      val json = s"""{"id": "x", "time_unit": "s", "spec": {"operator": "aggregate", $spec,
        "aggregates": {"all": "collect"}}, "steps": []}"""
      val transcript = TranscriptReader.read(json).copy(steps =
        told.map(one => Step.Feed(parts(one.messages).map(message), one.watermark.map(_ * 1000000))))
      val results = engine.run(transcript) match {
        case Outcome.Ran(results, _) => results
        case other                   => fail(other.toString)
      }
      results.zip(told).foreach {
        case (StepResult.Emitted(emission), one) =>
          assert(emission.panes.map(shown(_, unit)).sorted == parts(one.panes).sorted, one.messages)
        case (other, _) => fail(other.toString)
      }
    }

  private def beyond(window: String, lateness: Long) =
    s""""window": $window, "lateness": $lateness, "close_on": "next_row", "accumulation": "accumulating""""

  private val tens = """{"kind": "tumbling", "size": 10}"""

  check("R7: the first message past the end completes, or the end of lateness", beyond(tens, 100))(
    step("a@5=1, b@5=2")(""),
    step("a@9=3")(""),
    step("a@10=4")("a[0-10] ON_TIME 0: 1+3"),
    step("a@3=5")("a[0-10] LATE 1: 5+1+3"),
    step("", watermark = 110)("b[0-10] ON_TIME 0 last: 2"))

  check("R7: only a message with an offset after the window's start completes it", beyond(tens, 100))(
    step("a@15=1 p0:5")(""),
    step("a@3=2 p0:9")(""),
    step("a@16=3 p0:7")(""),
    step("a@17=4 p0:10")("a[0-10] ON_TIME 0: 2"),
    step("a@4=5 p0:11")("a[0-10] LATE 1: 2+5"))

  check("R7: a message that begins a window earlier may complete it", beyond(tens, 100))(
    step("a@15=1 p0:5")(""),
    step("a@3=2 p0:9")(""),
    step("a@4=3 p0:4")("a[0-10] ON_TIME 0: 2+3"))

  check("R7, R79: offsets of different partitions are not compared", beyond(tens, 100))(
    step("a@15=1 p1:5")(""),
    step("a@3=2 p0:9")("a[0-10] LATE 0: 2"))

  check("R7: a message in a gap completes nothing", beyond("""{"kind": "hopping", "size": 4, "step": 10}""", 100))(
    step("a@3=1")(""),
    step("a@5=2")(""),
    step("a@10=3")("a[0-4] ON_TIME 0: 1"))

  check("R7: the message after the last one completes a count", beyond("""{"kind": "count", "n": 2}""", 0), unit = 1)(
    step("a@1=1, a@2=2")(""),
    step("b@2=3")(""),
    step("a@3=4")("a[0-1] ON_TIME 0 last: 1+2"))

  check(
    "R7: the key's own message past the last offset, or lateness in offsets",
    beyond(
      """{"kind": "offset_range", "n": 2}""",
      1),
    unit = 1)(
    step("a@1=1 p0:0, b@1=2 p0:1")(""),
    step("a@1=3 p0:2")("a[0-1] ON_TIME 0: 1"),
    step("a@1=4 p0:3")("b[0-1] ON_TIME 0 last: 2"))

  check(
    "R7, R49: past the end by its floored time",
    beyond(
      """{"kind": "sliding", "size": 4, "granularity": 4}""",
      100))(step("a@1=1")(""), step("a@3=2")(""), step("a@4=3")("a[-4-0] ON_TIME 0: 1+2"))

  check(
    "R3: windows between messages, and those of a silent key",
    s""""window": $tens, "lateness": 0, "fill_gaps": true""")(
    step("a@5=1, a@35=2", watermark = 30)(
      "a[0-10] ON_TIME 0 last: 1, a[10-20] ON_TIME 0 last: -, a[20-30] ON_TIME 0 last: -"),
    step("", watermark = 45)("a[30-40] ON_TIME 0 last: 2"),
    step("", watermark = 59)("a[40-50] ON_TIME 0 last: -"),
    step("", watermark = 80)("a[50-60] ON_TIME 0 last: -, a[60-70] ON_TIME 0 last: -, a[70-80] ON_TIME 0 last: -"),
    step("a@85=3", watermark = 90)("a[80-90] ON_TIME 0 last: 3"))

  check(
    "R3: a message for a window that was filled is late",
    s""""window": $tens, "lateness": 50, "fill_gaps": true, "accumulation": "accumulating_and_retracting"""")(
    step("a@5=1, b@25=4", watermark = 20)("a[0-10] ON_TIME 0: 1, a[10-20] ON_TIME 0: -"),
    step("a@11=2, b@11=5")("a[10-20] ON_TIME 0 back: -, a[10-20] LATE 1: 2, b[10-20] LATE 0: 5"))

  check("R3, R7: filled by the watermark, complete by a message", s"""${beyond(tens, 100)}, "fill_gaps": true""")(
    step("a@5=1", watermark = 30)(""),
    step("a@25=2")("a[0-10] ON_TIME 0: 1, a[10-20] ON_TIME 0: -"),
    step("a@15=3")("a[10-20] LATE 1: 3"))

  check(
    "R10: a number of windows takes nothing from windows without an end",
    s""""window": $tens, "lateness": null, "retention": {"windows": 1}, "accumulation": "accumulating"""")(
    step("a@5=1, a@15=2", watermark = 1000)("a[0-10] ON_TIME 0: 1, a[10-20] ON_TIME 0: 2"),
    step("a@6=3")("a[0-10] LATE 1: 1+3"))

  private def inherited(mode: String) =
    s""""window": {"kind": "inherit"}, "lateness": 20, "accumulation": "$mode""""

  check(
    "R55: complete when the pane on time has come and the watermark has passed the end",
    inherited("accumulating"))(
    step("a@0=1 [0-10 EARLY], b@0=7 [0-10 ON_TIME]", watermark = 5)(""),
    step("", watermark = 10)("b[0-10] ON_TIME 0: 7"),
    step("a@0=1 [0-10 EARLY back], a@0=3 [0-10 ON_TIME]")("a[0-10] ON_TIME 0: 3"),
    step("c@0=2 [0-10 EARLY]", watermark = 30)("c[0-10] ON_TIME 0 last: 2"))

  check(
    "R55: a retraction takes its pane out of the value, and the last one the value itself",
    inherited("accumulating_and_retracting"))(
    step("a@0=3 [0-10 ON_TIME], a@0=5 [0-10 ON_TIME]", watermark = 10)("a[0-10] ON_TIME 0: 3+5"),
    step("a@0=3 [0-10 ON_TIME back], a@0=4 [0-10 LATE]")("a[0-10] ON_TIME 0 back: 3+5, a[0-10] LATE 1: 4+5"),
    step("a@0=4 [0-10 LATE back], a@0=5 [0-10 ON_TIME back]")("a[0-10] LATE 1 back: 4+5"),
    step("a@0=6 [0-10 LATE]")("a[0-10] LATE 2: 6"))

  check("R55, R79: a late pane comes to a window that is complete", inherited("accumulating"))(
    step("", watermark = 12)(""),
    step("a@0=3 [0-10 LATE]")("a[0-10] LATE 0: 3"),
    step("b@0=3 [0-10 ON_TIME]")("b[0-10] ON_TIME 0: 3"))
}
