package windrow.testkit.transcripts

import java.nio.file.{Files, Path}
import org.scalatest.funsuite.AnyFunSuite
import windrow.replay._

class ReplaySuite extends AnyFunSuite {

  private val examples = TranscriptFiles.folder.resolve("examples.jsonl").toString

  private def replay(args: String*): (Int, Seq[String]) = {
    val lines  = Seq.newBuilder[String]
    val status = Replay.run(args.toList, lines += _)
    (status, lines.result())
  }

  private def withFile(name: String, lines: String*)(test: Path => Unit): Unit = {
    val folder = Files.createTempDirectory("windrow-replay")
    val file   = folder.resolve(name)
    Files.writeString(file, lines.mkString("\n"))
    try test(file)
    finally Seq(file, file.resolveSibling(KnownGaps.FileName), folder).foreach(Files.deleteIfExists(_))
  }

  private val right =
    """{"id": "one", "time_unit": "s", "spec": {"operator": "aggregate", "window": {"kind": "tumbling", "size": 1},
      |"lateness": 0, "aggregates": {"n": "count"}}, "steps": [{"messages": [{"key": "a", "time": 0, "value": 1}],
      |"watermark": 1, "expect": {"panes": [{"key": "a", "window": [0, 1], "timing": "ON_TIME", "index": 0,
      |"is_last": true, "is_retraction": false, "values": {"n": 1}}]}}]}""".stripMargin.replace("\n", " ")
  private val wrong = right.replace(""""n": 1}}""", """"n": 2}}""").replace("one", "two")

  for (engine <- Seq("reference", "core")) test(s"--check on $engine says how many cases are equal") {
    withFile("right.jsonl", right, right.replace("one", "three")) { file =>
      assert(replay(file.toString, "--check", "--engine", engine) == ((0, Seq(s"2 cases on $engine: 2 equal"))))
    }
  }

  test("the output is a transcript that passes") {
    val (status, lines) = replay(examples)
    assert(status == 0)
    withFile("printed.jsonl", lines: _*)(file => assert(replay(file.toString, "--check")._1 == 0))
    assert(
      lines.map(TranscriptReader.read) == TranscriptFiles.cases(TranscriptFiles.folder.resolve("examples.jsonl")).map {
        c =>
          ReferenceEngine.run(c).inPlaceOfExpected(c)
      })
  }

  test("the actual output is printed, not the expected one") {
    withFile("wrong.jsonl", wrong) { file =>
      val (status, lines) = replay(file.toString)
      assert(status == 0)
      assert(TranscriptReader.read(lines.head).copy(id = "one") == {
        val c = TranscriptReader.read(right)
        ReferenceEngine.run(c).inPlaceOfExpected(c)
      })
    }
  }

  test("a difference is reported with status 1") {
    withFile("wrong.jsonl", right, "", wrong) { file =>
      val (status, lines) = replay(file.toString, "--check")
      assert(status == 1)
      assert(lines == Seq(
        "case two:\n  step 1: pane of 'a' [0 s, 1 s): expected ON_TIME 0 (last) n=2, got ON_TIME 0 (last) n=1",
        "2 cases on reference: 1 different, 1 equal"))
      assert(replay(file.toString, "--check", "--case", "one")._1 == 0)
    }
  }

  test("a known gap is reported with status 0; one that passes with status 1") {
    withFile("wrong.jsonl", right, wrong) { file =>
      def known(id: String) = Files.writeString(
        file.resolveSibling(KnownGaps.FileName),
        s"""{"$id": {"engines": ["reference"], "reason": "it is wrong on purpose"}}""")
      known("two")
      assert(replay(file.toString, "--check") ==
        ((0, Seq("case two: known gap: it is wrong on purpose", "2 cases on reference: 1 equal, 1 known gaps"))))
      assert(replay(file.toString, "--check", "--engine", "core")._1 == 1)
      known("one")
      assert(replay(file.toString, "--check", "--case", "one")._1 == 1)
    }
  }

  test("an unreadable line is reported with status 1") {
    val typo = right.replace("\"watermark\"", "\"watermrk\"")
    withFile("broken.jsonl", right, "{", typo) { file =>
      val (status, lines) = replay(file.toString, "--check")
      assert(status == 1)
      assert(lines.exists(_.contains("line 2: not JSON")))
      assert(lines.exists(_.contains("line 3: case one: step 1: the step has the unknown field 'watermrk'")))
      assert(replay(file.toString)._1 == 1)
    }
  }

  test("a wrong call is reported with status 2") {
    assert(replay()._1 == 2)
    assert(replay(examples, "--chek")._1 == 2)
    assert(replay("nowhere.jsonl")._1 == 2)
    assert(replay(
      examples,
      "--engine",
      "abacus") == ((2, Seq("engine 'abacus' does not exist. The engines are reference, core, simulated"))))
    assert(replay(examples, "--case", "E99")._1 == 2)
  }
}
