package windrow.spark
package replay

import org.scalatest.funsuite.AnyFunSuite
import windrow.replay.{Engine, TranscriptReader}

/** Tests that cases that no query can run are rejected with a reason, and that similar cases are run (SEMANTICS M1-M5).
  */
final class NotFedSuite extends AnyFunSuite {
  private val Day       = """{"kind": "calendar", "n": 1, "unit": "day", "zone": "UTC"}"""
  private val Tumbling  = """{"kind": "tumbling", "size": 10}"""
  private val LastTen   = """{"kind": "policy", "eviction": {"sliding": {"time": 10}}, "trigger": {"count": 2}}"""
  private val Aggregate = """"lateness": 0, "aggregates": {"n": "count"}"""
  private val Join =
    """"operator": "join", "streams": [{"name": "a"}, {"name": "b"}], "within": [0, 5], "lateness": 0"""

  private def message(time: Long, more: String = "") = s"""{"key": "k", "time": $time, "value": 1 $more}"""

  private def step(messages: String, more: String = "") = s"""{"messages": [$messages] $more}"""

  private def hindrance(spec: String, steps: String*): Option[String] = {
    val line =
      s"""{"id": "one", "time_unit": "us", "spec": {$spec}, "steps": [${steps.mkString(
          ", ")}], "at_end": {"final": true}}"""
    SparkEngine.hindrance(TranscriptReader.read(line))
  }

  private def forbidden(rule: String, why: String)(spec: String, steps: String*): Unit =
    test(s"SEMANTICS $rule: $why, as of ${spec.take(60)} ${steps.last.takeRight(30)}") {
      assert(hindrance(spec, steps: _*).exists(_.contains(why)))
    }

  private def fed(what: String)(spec: String, steps: String*): Unit =
    test(s"is fed: $what") { assert(hindrance(spec, steps: _*).isEmpty) }

  test("scripts/replay finds this engine by its name") {
    assert(Engine.named("spark").exists(_.isInstanceOf[SparkEngine]))
  }

  for (mark <- Seq("0", "-5", "1001")) {
    val marked = step(message(7), s""", "watermark": $mark""")
    forbidden(
      "M1",
      if (mark == "1001") "whole milliseconds" else "begins at 0")(s""""window": $Day, $Aggregate""", marked)
    fed(s"a watermark of $mark microseconds")(s""""window": $Tumbling, $Aggregate""", marked)
  }

  private def guarded(later: Long) =
    Seq(step(message(7)), step(message(later), """, "processing_time": 0"""))

  forbidden("M2", "processing time from its first batch")(
    s""""window": $Tumbling, "max_future": 6, $Aggregate""",
    guarded(1): _*)
  fed("a message that is not too far ahead of the first processing time")(
    s""""window": $Tumbling, "max_future": 7, $Aggregate""",
    guarded(20): _*)
  forbidden("M2", "several streams")(s"""$Join, "max_future": 9""", step(message(1, """, "stream": "a"""")))

  private def after(passed: Long) =
    Seq(step(message(1), """, "processing_time": 5"""), step("", s""", "processing_time": ${5 + passed}"""))

  fed("a clock that is set back")(s""""window": $Tumbling, $Aggregate""", after(-1): _*)

  forbidden("M3", "later than the previous one")(s""""window": $LastTen, "aggregates": {"n": "count"}""", after(10): _*)
  fed("a policy whose last step is not at the edge")(
    s""""window": $LastTen, "aggregates": {"n": "count"}""",
    after(9): _*)

  forbidden("M4", "read from outside its query")(
    Join,
    step(message(1, """, "stream": "a"""")),
    """{"query": {"get_messages": {"start": 0, "end": 5}}}""")

  forbidden("M5", "texts or numbers")(
    s""""window": $Tumbling, $Aggregate""",
    step(message(1) + """, {"key": "k", "time": 2, "value": "text"}"""))
}
