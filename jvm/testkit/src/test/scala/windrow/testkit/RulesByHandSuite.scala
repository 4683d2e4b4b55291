package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite

/** Small cases whose outcome was worked out by hand, on the reference and on the core. Steps are told in short: messages
  * as key, time or position, value and where they come from; panes as `key [start, end] TIMING index: values`.
  */
class RulesByHandSuite extends AnyFunSuite {

  private case class Told(messages: String, watermark: Option[Long], panes: String)

  /** `a@5=1 p0:7` is a message of key a at 5 s with value 1, offset 7 of partition 0. */
  private def message(text: String): Message = text match {
    case s"$key@$time=$value p$partition:$offset" =>
      message(s"$key@$time=$value").copy(partition = Some(partition.toInt), offset = Some(offset.toLong))
    case s"$key@$time=$value" => Message(Scalar(key), Some(time.toLong * 1000000), Scalar(value.toLong))
  }

  private def step(messages: String, watermark: Long = Long.MinValue)(panes: String): Told =
    Told(messages, Option.when(watermark != Long.MinValue)(watermark), panes)

  private def parts(text: String): Seq[String] = text.split(",(?![^\\[]*\\])").map(_.trim).filter(_.nonEmpty).toSeq

  private def shown(pane: Emission.ContentPane, unit: Long): String = {
    val values = pane.value match {
      case Content.Values(values, _) => values("all") match {
          case Value.Items(all) =>
            all.map { case Value.Whole(n) => n.toString; case other => other.toString }.mkString("+")
          case other => other.toString
        }
      case other => fail(other.toString)
    }
    val key = pane.key match { case Value.Text(text) => text; case other => other.toString }
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

  private val beyond = """"complete": "first_message_beyond", "lateness": 100, "accumulation": "accumulating""""

  check("R7: the first message past the end completes", s""""window": {"kind": "tumbling", "size": 10}, $beyond""")(
    step("a@5=1, b@5=2")(""),
    step("a@9=3")(""),
    step("a@10=4")("a[0-10] ON_TIME 0: 1+3"),
    step("a@3=5")("a[0-10] LATE 1: 1+3+5"),
    step("", watermark = 110)("a[10-20] ON_TIME 0: 4, b[0-10] ON_TIME 0 last: 2"))
}
