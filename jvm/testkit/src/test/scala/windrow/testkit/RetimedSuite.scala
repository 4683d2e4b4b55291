package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow.replay._

/** Checks that shifted and stretched times change nothing but times. A replay through Spark relies on this. */
final class RetimedSuite extends AnyFunSuite {
  private val first = Drawn.first
  private val seeds = first until first + math.max(10, Drawn.cases / 50)

  /** A multiple of all periods and granularities of random cases. */
  private val grid = (1L to 40L).foldLeft(1L)((all, n) => all / BigInt(all).gcd(BigInt(n)).toLong * n)

  private val Kinds: Seq[(String, Long => TranscriptCase)] =
    RandomFamily.All.filterNot(Set(RandomFamily.Calendar, RandomFamily.Inherited)).map(family =>
      (family.name, (seed: Long) => RandomCase(seed, family))) ++ Seq[(String, Long => TranscriptCase)](
      "full state" -> (RandomStoreCase.fullState(_)),
      "joins"      -> (RandomStoreCase.join(_)),
      "co-groups"  -> (RandomStoreCase.coGroup(_)),
      "dedup"      -> (RandomDedupCase(_)),
      "policies"   -> (RandomPolicyCase(_)))

  for ((name, make) <- Kinds) test(s"$name: the reference gives the same, told back") {
    seeds.map(make).filterNot(_.specJson.toString.contains("calendar")).foreach { plain =>
      val times   = new Retimed(Retiming(0, 7), Retiming(0, 5))
      val moved   = new Retimed(Retiming(-3 * grid, 1), Retiming(2 * grid, 1))
      val joint   = new Retimed(Retiming(grid, 2), Retiming(grid, 2))
      val apart   = if (plain.specJson.has("max_future")) Nil else Seq(times, moved)
      val outcome = ReferenceEngine.run(plain)
      for (retimed <- joint +: apart)
        assert(retimed.back(plain, ReferenceEngine.run(retimed(plain))) == outcome, TranscriptWriter.write(plain))
    }
  }
}
