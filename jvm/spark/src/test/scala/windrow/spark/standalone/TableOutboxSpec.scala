package windrow.spark.standalone

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state.{ByteReader, Damage}

/** Tests the outbox of an operator whose consumer is in Python (SEMANTICS R28, R31). */
final class TableOutboxSpec extends AnyFunSuite {
  private def outbox(sends: Boolean) = new TableOutbox[String](_.mkString.getBytes, sends)

  private def waiting(of: TableOutbox[String]): String = new String(of.waiting())

  test("outputs wait in order, as tables of a hook or as they are, until they are cleared") {
    val of = outbox(sends = false)
    assert(of.newOutputs() == null && waiting(of).isEmpty)
    of.add(Seq("a", "b"))
    assert(new String(of.newOutputs()) == "ab" && new String(of.newOutputs()) == "ab" && of.size == 2)
    of.replaceNew("AB".getBytes, 2)
    of.add(Seq("c"))
    of.replaceNew("nothing".getBytes, 0)
    of.add(Seq("d"))
    assert(waiting(of) == "ABd" && waiting(of) == "ABd" && of.newOutputs() == null && of.size == 3)
    assert(new String(of.waiting(known = 1)) == "d" && of.waiting(known = 2).isEmpty)
    assert(of.release() && !of.isSent)
    of.clear()
    assert(of.size == 0 && waiting(of).isEmpty)
  }

  test("outputs that cannot be written stay") {
    var isBroken = true
    val of =
      new TableOutbox[String](all => if (isBroken) throw new IllegalStateException else all.mkString.getBytes, true)
    of.add(Seq("a"))
    Seq[() => Any](() => of.newOutputs(), () => of.waiting(), () => of.show(), () => of.image()).foreach(call =>
      intercept[IllegalStateException](call()))
    isBroken = false
    assert(waiting(of) == "a")
  }

  test("R28: outputs that the consumer refused block messages until it accepts them; others do not") {
    val of = outbox(sends = true)
    assert(of.isSent)
    of.add(Seq("a"))
    assert(of.release() && !of.isSent)
    of.answer(isAccepted = false)
    assert(!of.release() && waiting(of) == "a")
    of.answer(isAccepted = true)
    assert(of.release() && of.isSent)
  }

  test("R60: a checkpoint has the waiting outputs, which block messages if they must be sent") {
    val of = outbox(sends = false)
    of.add(Seq("a", "b"))
    val image = of.image()
    Seq(true, false).foreach { sends =>
      val again = outbox(sends)
      again.restore(image)
      assert(waiting(again) == "ab" && again.size == 2 && again.release() == !sends)
      again.add(Seq("c"))
      assert(new String(again.waiting(known = 1)) == "c")
      again.clear()
      assert(again.release())
      again.restore(outbox(sends).image())
      assert(again.release() && again.size == 0)
    }
  }

  test(s"S1: ${Damage.Count} with other bytes are read, or refused by name") {
    val of = outbox(sends = false)
    of.add(Seq("some outputs of an operator"))
    assert(Damage.refusedBytes("waiting outputs", of.image())(bytes => TableOutbox.read(ByteReader(bytes))) > 0)
  }
}
