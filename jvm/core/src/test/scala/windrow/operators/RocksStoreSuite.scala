package windrow.operators

import java.net.URLClassLoader
import java.nio.file.{Files, Path}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow
import windrow.CheckpointError
import windrow.core.state.InMemoryShardStore

/** Checks that operators on disk give the same results as operators in memory (SEMANTICS R25, R60). */
@Slow
class RocksStoreSuite extends AnyFunSuite {

  private def folder(): Path = {
    val made = Files.createTempDirectory("windrow-rocks")
    made.toFile.deleteOnExit()
    made.resolve("store")
  }

  OperatorKind.all.foreach { kind =>
    test(s"in memory and in a folder that is opened again and again: $kind") {
      val place   = folder()
      val memory  = kind.open()
      var running = kind.open(RocksStore(place))
      LifeCycleSuite.script(kind, seed = 5).zipWithIndex.foreach { case (action, i) =>
        action(memory.operator)
        action(running.operator)
        assert(running.take() == memory.take(), s"action $i")
        if (i % 4 == 3) {
          running.operator.close()
          running = kind.open(RocksStore(place))
        }
      }
      assert(running.operator.restartOffsets() == memory.operator.restartOffsets())
      val image = running.operator.checkpoint()
      memory.operator.reset(image)
      running.operator.addMessage(kind.streams.head, Event(kind.streams.head, "x", 500, 1, 5000))
      running.operator.reset(image)
      Seq(memory, running).foreach(_.operator.finish())
      assert(running.take() == memory.take())
      running.operator.close()
    }
  }

  test("a store without a header: values are stored, replaced, removed, and listed") {
    val place = folder()
    val store = RocksStore(place)
    assert(store.header == null && store.entries.isEmpty)
    store.putHeader(Array(7))
    val (a, b) = (store.space("a"), store.space("ab"))
    a.put(1, Array(1))
    a.put(-1, Array(2))
    b.put(1, Array(3))
    a.put(1, Array(4))
    a.put(9, Array(5))
    a.remove(9)
    store.close()
    val again = RocksStore(place)
    assert(again.header.toSeq == Seq(7))
    assert(again.entries.map { case (name, id, bytes) => (name, id, bytes.toSeq) }.toSet ==
      Set(("a", 1L, Seq(4)), ("a", -1L, Seq(2)), ("ab", 1L, Seq(3))))
    assert(again.space("a").get(9) == null && again.space("b").get(1) == null)
    again.close()
    assert(intercept[IllegalStateException](again.header).getMessage.startsWith("[STORE_CLOSED]"))
  }

  test("a folder that another operator has, or that holds another operator") {
    val place = folder()
    val first = OperatorKind.all.head.open(RocksStore(place))
    val taken = intercept[IllegalStateException](RocksStore(place))
    assert(taken.getMessage.startsWith(s"[STORE_NOT_OPENED] The store in $place "))
    first.operator.addMessage("messages", Event("messages", "a", 1, 1, 1))
    first.operator.flush()
    first.operator.close()
    val store = RocksStore(place)
    intercept[CheckpointError](OperatorKind.all(1).open(store))
    store.close()
  }

  test("without RocksDB on the class path the error names the missing library") {
    val ours  = Seq(classOf[Ledger], classOf[Option[_]]).map(_.getProtectionDomain.getCodeSource.getLocation).toArray
    val bare  = new URLClassLoader(ours, ClassLoader.getPlatformClassLoader)
    val open  = Class.forName("windrow.operators.RocksStore", true, bare).getMethod("apply", classOf[Path])
    val error = intercept[java.lang.reflect.InvocationTargetException](open.invoke(null, folder()))
    assert(error.getCause.getMessage.startsWith("[ROCKSDB_MISSING]"))
  }

  test("values in memory can be listed, too") {
    val store = new InMemoryShardStore
    store.space("a").put(1, Array(1))
    assert(store.entries.map(_._1).toSeq == Seq("a"))
  }
}
