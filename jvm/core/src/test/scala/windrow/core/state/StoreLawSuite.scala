package windrow.core.state

import java.nio.file.Files
import org.scalatest.funsuite.AnyFunSuite
import windrow.operators.BreakingStore
import windrow.operators.RocksStore

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

  for ((name, store) <- stores) test(s"what a store returned belongs to the caller: $name")(StoreLaw.check(store()))

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
