package windrow.testkit

import windrow.replay._

/** Compares every kind of window, and every family of specs that the generators support (SEMANTICS R75, S3). */
class CoreVersusReference extends VersusReference {

  for (family <- RandomFamily.All)
    check(s"${family.name} cases")(seed => RandomCase(seed, family, offsets = seed % 5 != 0, counters = seed % 2 == 0))

  check("cases whose state is cut into many pieces", math.min(20, count / 100 + 1))(seed =>
    RandomCase(seed, scale = 40, counters = seed % 2 == 0))

  test("the core runs every transcript; its deviations are in known-gaps.json") {
    val notRun = for {
      file       <- TranscriptFiles.all
      transcript <- TranscriptFiles.cases(file)
      reason     <- new CoreEngine().run(transcript) match { case Outcome.NotRun(why) => Some(why); case _ => None }
    } yield s"${transcript.id}: $reason"
    assert(notRun.isEmpty)
  }
}
