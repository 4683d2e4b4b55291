package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite

/** Every transcript of the repository on every engine that is here. */
class TranscriptSuite extends AnyFunSuite {

  test("725 cases are there, each with an id of its own") {
    val ids = TranscriptFiles.all.flatMap(TranscriptFiles.cases).map(_.id)
    assert(ids.size == 725)
    assert(ids.distinct == ids)
  }

  for (engine <- Engine.all; file <- TranscriptFiles.all) {
    val gaps = KnownGaps.beside(file)
    for (transcript <- TranscriptFiles.cases(file)) test(s"${engine.name}: ${transcript.id}") {
      val verdict = Verdict.of(transcript, engine, gaps)
      assert(!verdict.isFailure, verdict.text.getOrElse(""))
    }
  }

  for (file <- TranscriptFiles.all) test(s"${file.getFileName}: what is read and written again is the same") {
    TranscriptFiles.cases(file).foreach { transcript =>
      assert(TranscriptReader.read(TranscriptWriter.write(transcript)) == transcript)
    }
  }
}
