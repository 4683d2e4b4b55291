package windrow.testkit.transcripts

import org.scalatest.funsuite.AnyFunSuite
import windrow.replay._

/** Runs every transcript of the repository on every available engine. */
class TranscriptSuite extends AnyFunSuite {

  test("797 cases or more are there, each with an id of its own") {
    val ids = TranscriptFiles.all.flatMap(TranscriptFiles.cases).map(_.id)
    assert(ids.size >= 797)
    assert(ids.distinct == ids)
  }

  for (engine <- Engine.all; file <- TranscriptFiles.all) {
    val gaps = KnownGaps.beside(file)
    for (transcript <- TranscriptFiles.cases(file)) test(s"${engine.name}: ${transcript.id}") {
      val verdict = Verdict.of(transcript, engine, gaps)
      assert(!verdict.isFailure, verdict.text.getOrElse(""))
    }
  }

  test("the reference runs every case whose spec is not refused") {
    TranscriptFiles.all.flatMap(TranscriptFiles.cases).filter(_.refused.isEmpty)
      .foreach(transcript => assert(ReferenceEngine.run(transcript).isInstanceOf[Outcome.Ran], transcript.id))
  }

  test("each of the sources' worked examples has a case, but for E21 and E24, which are calls of an operator") {
    val numbers = TranscriptFiles.all.flatMap(TranscriptFiles.cases).flatMap(one =>
      TranscriptSuite.Example.findPrefixMatchOf(one.id).map(_.group(1).toInt)).toSet
    assert(numbers == (1 to 25).toSet -- Set(21, 24))
  }
}

private object TranscriptSuite {
  val Example = "E([0-9]+)(?:-|$)".r
}
