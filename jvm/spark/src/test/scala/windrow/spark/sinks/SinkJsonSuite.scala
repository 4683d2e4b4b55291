package windrow.spark.sinks

import org.scalatest.funsuite.AnyFunSuite

/** Tests how the sinks of Python are read. */
final class SinkJsonSuite extends AnyFunSuite {
  private def sinks(json: String) = SinkJson.read(s"""{"sinks": {$json}, "query": "q", "checkpoint": "c"}""").sinks

  test("each kind of sink") {
    val on = """"on": ["k", "window"]"""
    val all = sinks(
      s""""panes": {"sink": "upsert", "table": "t", $on, "create": "", "shown": "Upsert('t')"},
          "a": {"sink": "upsert", "table": "t", "on": [], "create": null},
          "b": {"sink": "table", "name": "t"}, "c": {"sink": "files", "path": "/p", "format": "orc"},
          "d": {"sink": "kafka", "servers": "s:1", "topic": "t", $on, "options": {"kafka.x": "y"}},
          "e": {"sink": "jdbc", "url": "jdbc:x", "table": "t", "upsert": true, "on": [], "options": {"user": "me"},
            "deadLetter": "dead"}, "rejected": null""")
    assert(all.kinds == Seq("panes", "a", "b", "c", "d", "e", "rejected"))
    val by = Seq("k", "window")
    assert(all.stated.map(one => one.kind -> one.sink) == Seq(
      "panes" -> Upsert("t", by, Some("")),
      "a"     -> Upsert("t"),
      "b"     -> Table("t"),
      "c"     -> Files("/p", "orc"),
      "d"     -> KafkaTable("s:1", "t", by, Map("kafka.x" -> "y")),
      "e"     -> Jdbc("jdbc:x", "t", upsert = true, Nil, Map("user" -> "me"), Some("dead"))))
    assert(all.stated.head.shown == "Upsert('t')" && all.tables == Map("b" -> "t"))
    assert(all.files.map(one => (one.kind, one.path, one.format)) == Seq(("c", "/p", "orc")))
  }

  test("a function of the caller is not written here") {
    val one = sinks(""""panes": {"sink": "function"}""").stated.head.sink
    assert(!one.takesEmpty && !one.keepsLast)
    intercept[UnsupportedOperationException](one.write(null, 0))
  }

  test("the list of what a start will create is written and read back") {
    val missing = SinkClaim.MissingTargets(Seq("a\nb", "c"), Seq("`t`"))
    assert(SinkClaim.MissingTargets.read(missing.json) == missing)
  }
}
