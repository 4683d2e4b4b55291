package windrow.core.state

import java.nio.file.Files
import org.scalatest.exceptions.TestFailedException
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.Full
import windrow.core.offsets.AppliedOffsetsSuite
import windrow.operators.{BreakingStore, RocksStore}

/** Checks the law of all stores on those of the core and of its tests. */
final class StoreLawSuite extends AnyFunSuite {

  private def memory = new InMemoryShardStore

  private val stores = Seq[(String, () => ShardStore)](
    "in memory"                            -> (() => memory),
    "a snapshot"                           -> (() => memory.snapshot),
    "journaled"                            -> (() => new JournaledStore(memory)),
    "journaled twice"                      -> (() => new JournaledStore(new JournaledStore(memory))),
    "one that counts"                      -> (() => new CountingStore),
    "one that breaks"                      -> (() => new BreakingStore(memory)),
    "one that counts writes"               -> (() => new AppliedOffsetsSuite.WritesStore),
    "one that leaves what it has as it is" -> (() => new StoredState.Copied(memory)))

  private val cases = if (Full.isFull) 10000 else 20
  private val first = Random.nextInt(Int.MaxValue - cases).toLong

  for ((name, store) <- stores) test(s"what a store returned belongs to the caller: $name")(StoreLaw.check(store()))

  for ((name, store) <- stores) test(s"$cases random cases from seed $first: $name") {
    (first until first + cases).foreach(StoreLaw.checkRandom(store(), _, operations = 200))
  }

  test("a fault is found: a store that returns its own array, and one that stores the caller's") {
    for (copies <- Seq(true, false)) {
      val own = new ShardStore {
        private val inner                       = memory
        private val values                      = scala.collection.mutable.Map.empty[Long, Array[Byte]]
        def header: Array[Byte]                 = inner.header
        def putHeader(bytes: Array[Byte]): Unit = inner.putHeader(bytes)
        def space(name: String): Space = new Space {
          def get(id: Long): Array[Byte]              = values.get(id).map(if (copies) _.clone() else identity).orNull
          def put(id: Long, bytes: Array[Byte]): Unit = values(id) = if (copies) bytes else bytes.clone()
          def remove(id: Long): Unit                  = values -= id
        }
      }
      intercept[TestFailedException](StoreLaw.check(own)): Unit
      intercept[TestFailedException](StoreLaw.checkRandom(own, first, operations = 200)): Unit
    }
  }

  test("values that a store returned belong to the caller: in a folder") {
    val folder = Files.createTempDirectory("windrow-law")
    val store  = RocksStore(folder.resolve("store"))
    StoreLaw.check(store)
    StoreLaw.checkUndone(new JournaledStore(store))
    store.close()
  }

  test("a snapshot and its source share nothing that a caller holds") {
    val store = memory
    store.space("windows").put(1, Array(1))
    val copy = store.snapshot
    store.space("windows").get(1)(0) = 2
    assert(copy.space("windows").get(1).toSeq == Seq(1))
  }

  test("a step that is rolled back keeps the earlier values")(StoreLaw.checkUndone(new JournaledStore(memory)))

  test("parts of a shard share its spaces and no array") {
    val parts = new NumberedSpaces(memory, 3)
    StoreLaw.check(new ShardStore {
      private val head                        = memory
      def header: Array[Byte]                 = head.header
      def putHeader(bytes: Array[Byte]): Unit = head.putHeader(bytes)
      def space(name: String): Space          = parts.space(name)
    })
  }
}
