package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state.{InMemoryShardStore, StoreLaw}

/** Checks the law of all stores on the store of the simulator. */
final class FaultyStoreLawSuite extends AnyFunSuite {
  private def attempt(fault: Option[FaultPoint], at: Int) =
    new Attempt(fault, at, commits = true, new SimulationCounts)

  test("values that a store returned belong to the caller: a store that can fail") {
    val sound = attempt(None, 0)
    StoreLaw.check(new FaultyStore(new InMemoryShardStore, new Before, () => sound))
  }

  test("a value from before its last write is read as it was, whoever has overwritten it") {
    var now    = attempt(None, 0)
    val before = new Before
    val space  = new FaultyStore(new InMemoryShardStore, before, () => now).space("windows")
    space.put(1, Array(1))
    space.put(1, Array(2))
    (1 to 2).foreach { _ =>
      now = attempt(Some(FaultPoint.ReadStale), 0)
      val old = space.get(1)
      assert(old.toSeq == Seq(1))
      old(0) = 3
    }
  }
}
